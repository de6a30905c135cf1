"""The levels of a tiled pyramidal TIFF, written by us, libvips or ImageMagick."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from vitrine.store.tiff.entry import MalformedTiff
from vitrine.store.tiff.reading import Directory, TiffReader
from vitrine.store.tiff.tags import Tag


@dataclass(frozen=True)
class PyramidLevel:
    """One level; sizes in pixels."""

    page: Directory
    width: int
    height: int
    tile_width: int
    tile_height: int

    @property
    def columns(self) -> int:
        """Number of tiles across."""
        return -(-self.width // self.tile_width)

    @property
    def rows(self) -> int:
        """Number of tiles down."""
        return -(-self.height // self.tile_height)

    @cached_property
    def tiles(self) -> tuple[tuple[int, int], ...]:
        """Offset and length in bytes of each tile, left to right, top to bottom.

        Raises MalformedTiff when there are not as many as the size requires.
        """
        page, expected = self.page, self.columns * self.rows
        offsets, counts = page.count(Tag.TILE_OFFSETS), page.count(Tag.TILE_BYTE_COUNTS)
        if not offsets == counts == expected:
            raise MalformedTiff(
                f"A level of {self.width} x {self.height} pixels has {offsets:,} tile "
                f"offsets and {counts:,} byte counts, not {expected:,} of each."
            )
        extents = page.integers(Tag.TILE_OFFSETS), page.integers(Tag.TILE_BYTE_COUNTS)
        return tuple(zip(*extents, strict=True))


def read_levels(reader: TiffReader) -> list[PyramidLevel]:
    """Read the levels, full resolution first, from pages or from the first page's SubIFDs.

    Raises MalformedTiff, with a sentence, for anything but a tiled pyramid.
    """
    first, *others = reader.pages()
    inner = reader.sub_images(first)
    if inner and others:
        raise MalformedTiff("It has both further pages and sub-images; only one can be its levels.")
    levels = [_level(page) for page in (first, *inner, *others)]
    _check_halving(levels)
    return levels


def _level(page: Directory) -> PyramidLevel:
    sides = (Tag.IMAGE_WIDTH, Tag.IMAGE_LENGTH, Tag.TILE_WIDTH, Tag.TILE_LENGTH)
    if any(tag not in page for tag in sides):
        raise MalformedTiff("Not all of its pages are tiled.")
    width, height, tile_width, tile_height = (page.integer(tag) for tag in sides)
    if not (width and height and tile_width and tile_height):
        raise MalformedTiff("A page has no pixels.")
    return PyramidLevel(page, width, height, tile_width, tile_height)


def _check_halving(levels: Sequence[PyramidLevel]) -> None:
    for level, following in pairwise(levels):
        # Half, rounded down or up: writers differ.
        if not (
            max(level.width // 2, 1) <= following.width <= -(-level.width // 2)
            and max(level.height // 2, 1) <= following.height <= -(-level.height // 2)
        ):
            raise MalformedTiff(
                f"After a page of {level.width} x {level.height} pixels comes one of "
                f"{following.width} x {following.height}, which is not its half."
            )
    smallest = levels[-1]
    if len(levels) == 1 and (smallest.columns > 1 or smallest.rows > 1):
        raise MalformedTiff("It has full resolution only, no smaller levels.")
