"""Recognition of addresses of tiles and image information by one regular expression each.

Viewers request tiles ten times as often as anything else. Addresses that are not recognised here
take the general way, `parse_address` and `decide_answer`; a recognised one means exactly the same
there.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from vitrine.deliver.http.path_rules import check_path
from vitrine.errors import RequestError
from vitrine.iiif.address import INFORMATION, parse_address
from vitrine.iiif.version import VERSIONS, Version

_ALL = 10**9
"""More than the longest side that an address can name."""
_NUMBER, _SIDE = "([0-9]{1,9})", "([1-9][0-9]{0,8})?"
# In the identifier only characters that path_rules.py allows.
_IMAGE = f"/iiif/([{''.join(VERSIONS)}])/(?!\\.\\.?/)([!-.0-\\[\\]-~]+)"
_TILE = re.compile(
    f"{_IMAGE}/(?:{_NUMBER},{_NUMBER},{_NUMBER},{_NUMBER}|full)"
    f"/{_SIDE},{_SIDE}"
    r"/0/(?:default|color)\.jpg"
)
_INFORMATION = re.compile(f"{_IMAGE}/{re.escape(INFORMATION)}")


class TileAddress(NamedTuple):
    """A region and its requested size in pixels: unrotated, in colour, as a JPEG."""

    version: Version
    identifier: str
    """Percent-decoded."""
    x: int
    y: int
    width: int
    """Not clipped to the image; for `full`, wider than any image."""
    height: int
    size_width: int
    """0 if it follows from the aspect ratio; never both."""
    size_height: int


def parse_tile_address(path: str) -> TileAddress | None:
    """Parse a path as the client sent it; None if it is not a tile, or written unusually."""
    match = _TILE.fullmatch(path)
    if match is None:
        return None
    version, raw, x, y, width, height, size_width, size_height = match.groups()
    identifier = _decode_identifier(raw) if "%" in raw else raw
    if not identifier or not (size_width or size_height):
        return None
    region = (int(x), int(y), int(width), int(height)) if x else (0, 0, _ALL, _ALL)
    return TileAddress(
        VERSIONS[version], identifier, *region, int(size_width or 0), int(size_height or 0)
    )


class InformationAddress(NamedTuple):
    """The image information of one version."""

    version: Version
    identifier: str
    """Percent-decoded."""


def parse_information_address(path: str) -> InformationAddress | None:
    """Parse a path as the client sent it; None if it is anything else, or written unusually."""
    match = _INFORMATION.fullmatch(path)
    if match is None:
        return None
    version, raw = match.groups()
    identifier = _decode_identifier(raw) if "%" in raw else raw
    return InformationAddress(VERSIONS[version], identifier) if identifier else None


@lru_cache(maxsize=4096)
def _decode_identifier(raw: str) -> str:
    """Decode the identifier in a segment; "" if it is malformed."""
    path = f"/iiif/3/{raw}"
    try:
        check_path(path)
        address = parse_address(path)
    except RequestError:
        return ""
    return address.identifier if address else ""
