"""Records for the tests of the gateway."""

from typing import Any

from vitrine.records import Gone, Live, Redirect

CHANGED = "2026-02-03T04:05:06Z"


def live(identifier: str = "a", width: int = 1300, height: int = 1000, **changes: Any) -> Live:
    """A published image with libvips' levels: sides halved, rounded down."""
    levels = [(width, height)]
    while max(levels[-1]) > 256:
        levels.append((max(1, levels[-1][0] // 2), max(1, levels[-1][1] // 2)))
    fields: dict[str, Any] = {
        "identifier": identifier,
        "version": "0123456789abcdef",
        "access_master_key": f"00/{identifier}/0123456789abcdef.tif",
        "access_master_bytes": 100,
        "width": width,
        "height": height,
        "tile_width": 256,
        "tile_height": 256,
        "levels": tuple(levels),
        "master_key": f"{identifier}.tif",
        "master_version": "1",
        "master_modified": CHANGED,
        "published_at": CHANGED,
    }
    return Live(**{**fields, **changes})


REDIRECT = Redirect(identifier="old", target="a", changed_at=CHANGED)
GONE = Gone(identifier="lost", reason="rights", changed_at=CHANGED)
