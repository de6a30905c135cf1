"""The head of a pyramid: its directories and indexes, read through blocks that may be missing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vitrine.deliver.pyramids.level import StoredLevel, join_ranges, read_level
from vitrine.store.tiff.checksums import FileChecksums, read_checksums
from vitrine.store.tiff.pyramid import PyramidLevel, read_levels
from vitrine.store.tiff.reading import Bounds, Directory, ReadRange, TiffReader
from vitrine.store.tiff.tags import Tag

BOUNDS = Bounds(pages=40, value_bytes=16 << 20, total_bytes=48 << 20)
"""Limits of opening one pyramid: an index of two million tiles."""
MAX_PROFILE_BYTES = 1 << 20
"""ICC profiles above this are left out; those of RGB pixels take kilobytes."""

_SMALL_VALUE_BYTES = 16 << 10
_DIRECTORY_BYTES = 4 << 10
_MAX_VALUE_BYTES: dict[int, int] = {
    Tag.TILE_OFFSETS: BOUNDS.value_bytes,
    Tag.TILE_BYTE_COUNTS: BOUNDS.value_bytes,
    Tag.ICC_PROFILE: MAX_PROFILE_BYTES,
}


@dataclass(frozen=True, slots=True)
class PyramidHead:
    """The parts of a pyramid's file that opening it reads."""

    levels: tuple[StoredLevel, ...]
    """Full resolution first."""
    icc: bytes
    """The profile of the pixels, b"" if the file has no profile."""
    ranges: tuple[tuple[int, int], ...]
    """Offset and length of everything that a reader of pixels reads before the first tile."""
    levels_are_pages: bool
    """True if the pages of the file are its levels, one each, and nothing else."""
    checksums: FileChecksums | None
    """Checksums of the file's seal, with which its head was compared; None if it has no seal."""


def read_head(read: ReadRange, size: int) -> PyramidHead:
    """Read the head of the pyramid of `size` bytes.

    Raises MalformedTiff, WrongChecksum if it has checksums that do not hold, and what `read` does.
    """
    reader = TiffReader(read, size, BOUNDS)
    pages = read_levels(reader)
    first = pages[0].page
    are_pages = len(reader.pages()) == len(pages)
    checksums = read_checksums(read, size, big=reader.big, tiles=sum(map(_count_tiles, pages)))
    levels = _read_levels(pages, size, checksums)
    icc = b""
    if first.length(Tag.ICC_PROFILE) <= MAX_PROFILE_BYTES:
        icc = first.raw(Tag.ICC_PROFILE)
    ranges = [(0, checksums.head_bytes)] if checksums else _clip_ranges(_head_ranges(pages), size)
    return PyramidHead(levels, icc, tuple(ranges), are_pages, checksums)


def _read_levels(
    pages: Sequence[PyramidLevel], size: int, checksums: FileChecksums | None
) -> tuple[StoredLevel, ...]:
    if not checksums:
        return tuple(read_level(page, size) for page in pages)
    levels, end = [], len(checksums.tiles)
    for page in pages:
        start = end - _count_tiles(page)
        levels.append(read_level(page, size, checksums.tiles[start:end]))
        end = start
    return tuple(levels)


def _count_tiles(page: PyramidLevel) -> int:
    """Return the number of stored tiles: one for each channel where they are in planes."""
    return page.page.count(Tag.TILE_OFFSETS)


def _head_ranges(pages: Sequence[PyramidLevel]) -> Iterator[tuple[int, int]]:
    yield 0, 16
    for level in pages:
        yield level.page.offset, _DIRECTORY_BYTES
        yield from _value_ranges(level.page)


def _value_ranges(page: Directory) -> Iterator[tuple[int, int]]:
    """Yield the ranges of the values that libtiff reads when it opens a page, but long texts."""
    for tag in page.tags():
        extent = page.extent(tag)
        if extent and extent[1] <= _MAX_VALUE_BYTES.get(tag, _SMALL_VALUE_BYTES):
            yield extent


def _clip_ranges(ranges: Iterator[tuple[int, int]], size: int) -> list[tuple[int, int]]:
    """Join the ranges, without the parts that are outside the file."""
    inside = ((start, min(length, size - start)) for start, length in ranges if start < size)
    return join_ranges(inside)
