"""The sizes that an image is stored in, which `w,` and `,h` mean where they can.

A level's sides are halved and rounded separately. So the height that the ratio of a region gives
for `w,` may differ by a pixel from that of the stored tile: a viewer that draws edge tiles at their
natural size then shows a line through the picture. Which of the two is returned is the server's
choice (Image API 2.1 and 3.0, section 4.2); 2.1's implementation notes compute the stored one.
"""

from collections.abc import Iterator, Sequence
from typing import Protocol

from vitrine.iiif.numbers import scaled
from vitrine.iiif.region import Box


class StoredPyramid(Protocol):
    """The levels of an image, full resolution first, in tiles of one size."""

    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def tile_width(self) -> int: ...
    @property
    def tile_height(self) -> int: ...
    @property
    def levels(self) -> Sequence[tuple[int, int]]: ...


def find_stored_size(
    pyramid: StoredPyramid, region: Box, width: int, height: int
) -> tuple[int, int] | None:
    """Return the size of the level or tile that is `region`, has the given side, and is smaller.

    One of `width` and `height` is 0. Of several, the one nearest to the region's ratio is returned.
    """
    sizes = [
        size
        for size in _list_sizes(pyramid, region)
        if (size[0] == width if width else size[1] == height)
    ]
    if not sizes:
        return None
    if width:
        target = scaled(region.height, width, region.width)
        return min(sizes, key=lambda size: abs(size[1] - target))
    target = scaled(region.width, height, region.height)
    return min(sizes, key=lambda size: abs(size[0] - target))


def _list_sizes(pyramid: StoredPyramid, region: Box) -> Iterator[tuple[int, int]]:
    """Yield the sizes of the levels and tiles that hold exactly this region, in full or smaller."""
    is_whole = (region.width, region.height) == (pyramid.width, pyramid.height)
    for number, level in enumerate(pyramid.levels):
        if is_whole:
            yield level
        elif tile := _find_tile(pyramid, number, region):
            yield tile


def _find_tile(pyramid: StoredPyramid, number: int, region: Box) -> tuple[int, int] | None:
    """Return the size of the tile of this level that is exactly `region`, or None."""
    span_x, span_y = pyramid.tile_width << number, pyramid.tile_height << number
    if region.x % span_x or region.y % span_y:
        return None
    if region.width != min(span_x, pyramid.width - region.x):
        return None
    if region.height != min(span_y, pyramid.height - region.y):
        return None
    level = pyramid.levels[number]
    width = min(pyramid.tile_width, level[0] - (region.x >> number))
    height = min(pyramid.tile_height, level[1] - (region.y >> number))
    # A level whose sides were rounded down may lack its last row or column.
    return (width, height) if width > 0 and height > 0 else None
