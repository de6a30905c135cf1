"""Reads the head of a pyramid: its directories and indexes, through blocks that may be missing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vitrine.deliver.pyramids.level import StoredLevel, joined, read_level
from vitrine.store.tiff.pyramid import PyramidLevel, read_levels
from vitrine.store.tiff.reading import Bounds, Directory, ReadRange, TiffReader
from vitrine.store.tiff.tags import Tag

BOUNDS = Bounds(pages=40, value_bytes=16 << 20, total_bytes=48 << 20)
"""Of opening one pyramid: an index of two million tiles."""
LARGEST_PROFILE_BYTES = 1 << 20
"""ICC profiles above this are left out; those of RGB pixels take kilobytes."""

_SMALL_VALUE_BYTES = 16 << 10
_DIRECTORY_BYTES = 4 << 10
_LARGEST: dict[int, int] = {
    Tag.TILE_OFFSETS: BOUNDS.value_bytes,
    Tag.TILE_BYTE_COUNTS: BOUNDS.value_bytes,
    Tag.ICC_PROFILE: LARGEST_PROFILE_BYTES,
}


@dataclass(frozen=True, slots=True)
class Head:
    """What opening a pyramid learns."""

    levels: tuple[StoredLevel, ...]
    """Full resolution first."""
    icc: bytes
    """The profile of the pixels, b"" where there is none."""
    ranges: tuple[tuple[int, int], ...]
    """Offset and length of all that a reader of pixels reads before the first tile."""


def read_head(read: ReadRange, size: int) -> Head:
    """The head of the pyramid of `size` bytes. Raises MalformedTiff, and what `read` raises."""
    pages = read_levels(TiffReader(read, size, BOUNDS))
    levels = tuple(read_level(page, size) for page in pages)
    first = pages[0].page
    icc = b""
    if first.length(Tag.ICC_PROFILE) <= LARGEST_PROFILE_BYTES:
        icc = first.raw(Tag.ICC_PROFILE)
    return Head(levels, icc, tuple(_clipped(_head_ranges(pages), size)))


def _head_ranges(pages: Sequence[PyramidLevel]) -> Iterator[tuple[int, int]]:
    yield 0, 16
    for level in pages:
        yield level.page.offset, _DIRECTORY_BYTES
        yield from _values(level.page)


def _values(page: Directory) -> Iterator[tuple[int, int]]:
    """Of the tags that libtiff reads when it opens a page; long texts are not worth it."""
    for tag in page.tags():
        place = page.extent(tag)
        if place and place[1] <= _LARGEST.get(tag, _SMALL_VALUE_BYTES):
            yield place


def _clipped(ranges: Iterator[tuple[int, int]], size: int) -> list[tuple[int, int]]:
    """Without what lies outside the file: nobody can read it."""
    inside = ((start, min(length, size - start)) for start, length in ranges if start < size)
    return joined(inside)
