"""Records of the tables, as tests need them: small, and complete but for what a test says."""

from dataclasses import replace
from typing import Any

from vitrine.records import Live, Outcome

MOMENT = "2026-11-21T07:00:00.000Z"


def live(identifier: str = "a", **changes: Any) -> Live:
    """Return the record of a published image of one pixel, with these changes."""
    record = Live(
        identifier=identifier,
        version="0123456789abcdef",
        access_master_key=f"00/{identifier}/0.tif",
        access_master_bytes=1,
        width=1,
        height=1,
        tile_width=256,
        tile_height=256,
        levels=((1, 1),),
        master_key=f"{identifier}.tif",
        master_version="v1",
        master_modified=MOMENT,
        published_at=MOMENT,
    )
    if "levels" in changes:
        changes["width"], changes["height"] = changes["levels"][0]
    return replace(record, **changes)


def outcome(key: str, state: str, **changes: Any) -> Outcome:
    """Return the outcome of a master whose identifier is its key, with these changes."""
    known: Any = {"master_version": "v1", "master_modified": MOMENT, "changed_at": MOMENT}
    known |= {"master_key": key, "identifier": key, "state": state}
    return Outcome(**known | changes)
