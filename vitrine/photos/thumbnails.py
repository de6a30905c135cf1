"""The thumbnails that a door offers: named regions and sizes, in the words of the Image API."""

from collections.abc import Mapping
from dataclasses import dataclass

from vitrine.errors import InvalidRequest
from vitrine.iiif.region import Box, Region, parse_region, resolve_region
from vitrine.iiif.size import Limits, Size, parse_size, resolve_size
from vitrine.iiif.version import NEWEST

MAX_THUMBNAILS = 8
"""Thumbnails of one photograph."""
MAX_SIDE = 4_096
"""Side of a thumbnail, in pixels."""
_LIMITS = Limits(area=MAX_SIDE * MAX_SIDE, side=MAX_SIDE)
_LARGE = Box(0, 0, 100_000, 100_000)
"""A region that no size enlarges."""


@dataclass(frozen=True)
class Thumbnail:
    """One that a door offers: its name, and the region and size of the Image API."""

    name: str
    region: Region
    size: Size


@dataclass(frozen=True)
class ThumbnailPlan:
    """What to make of one photograph: pixels of the upright picture, and the result's size."""

    name: str
    box: Box
    width: int
    height: int

    @property
    def scale(self) -> float:
        """The larger ratio of the result's sides to the region's; at most 1."""
        return max(self.width / self.box.width, self.height / self.box.height)


def parse_thumbnails(text: str) -> Mapping[str, Thumbnail]:
    """Parse `small = square/150,150; medium = full/!500,500`. Raises ValueError with a sentence."""
    found: dict[str, Thumbnail] = {}
    for item in filter(None, (part.strip() for part in text.split(";"))):
        name, equals, words = (part.strip() for part in item.partition("="))
        region, slash, size = words.partition("/")
        if not (equals and slash and name.isascii() and name.isidentifier()) or name in found:
            raise ValueError(
                f"thumbnails must be like small = square/150,150, each name once, not {item!r}"
            )
        try:
            found[name] = Thumbnail(name, parse_region(region), parse_size(size, NEWEST))
            resolve_size(found[name].size, _LARGE, NEWEST, _LIMITS)
        except InvalidRequest as error:
            raise ValueError(f"the thumbnail {name} is not possible: {error}") from None
    if not 0 < len(found) <= MAX_THUMBNAILS:
        raise ValueError(f"thumbnails must name 1 to {MAX_THUMBNAILS}, not {len(found)}")
    return found


def plan_thumbnail(thumbnail: Thumbnail, width: int, height: int) -> ThumbnailPlan:
    """Return what to make of an upright picture of this size.

    A region that is smaller than the size stays as it is: nothing is enlarged. Raises
    InvalidRequest if the region is outside the picture.
    """
    box = resolve_region(thumbnail.region, width, height)
    try:
        return ThumbnailPlan(
            thumbnail.name, box, *resolve_size(thumbnail.size, box, NEWEST, _LIMITS)
        )
    except InvalidRequest:
        return ThumbnailPlan(thumbnail.name, box, box.width, box.height)
