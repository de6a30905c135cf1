"""Lay out a pyramidal TIFF again, head first and with checksums, without touching a pixel."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from vitrine.store.tiff.checksums import crc32c
from vitrine.store.tiff.entry import MalformedTiff, longs
from vitrine.store.tiff.pyramid import PyramidLevel, read_levels
from vitrine.store.tiff.reading import Directory, ReadRange, TiffReader
from vitrine.store.tiff.tags import DIRECTORY_POINTERS, Tag, Type
from vitrine.store.tiff.writing import NewDirectory, lay_out

_KEPT_POINTERS = (Tag.EXIF_IFD, Tag.GPS_IFD, Tag.INTEROPERABILITY_IFD)
_NOT_COPIED = DIRECTORY_POINTERS | {Tag.TILE_OFFSETS, Tag.TILE_BYTE_COUNTS}
_WIDE_TYPES = frozenset({Type.LONG8, Type.SLONG8, Type.IFD8})
"""Types that only BigTIFF has."""
_BYTE_BITS = 8
_MAXIMUM_DEPTH = 3


def relayout(source: Path, target: Path) -> int:
    """Write the levels of `source` to `target`, which appears when it is complete.

    Returns the length of the head in bytes. Raises MalformedTiff, with a sentence, when `source`
    is not a tiled pyramid; OSError.
    """
    with source.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        reader = TiffReader(_read_ranges(file), size)
        levels = read_levels(reader)
        _check_levels(reader, levels, size)
        pages = [_copy_level(file, reader, level, number) for number, level in enumerate(levels)]
        layout = lay_out(pages, big=any(_is_wide(page) for page in pages))
        partial = target.with_name(target.name + ".partial")
        try:
            with partial.open("wb") as out:
                out.write(layout.head)
                for level in reversed(levels):
                    out.writelines(_read_tiles(file, level))
                out.write(layout.tail)
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)
    return len(layout.head)


def _check_levels(reader: TiffReader, levels: list[PyramidLevel], size: int) -> None:
    bits = max(levels[0].page.integers(Tag.BITS_PER_SAMPLE) or (1,))
    if reader.big_endian and bits > _BYTE_BITS:
        raise MalformedTiff(
            f"Its samples have {bits} bits in big-endian order and would have to be re-encoded."
        )
    for level in levels:
        if level.page.integer(Tag.PLANAR_CONFIGURATION, 1) != 1:
            raise MalformedTiff("Its colours are stored in separate planes.")
        for offset, count in level.tiles:
            if offset + count > size:
                raise MalformedTiff(f"A tile ends at byte {offset + count:,} of {size:,}.")


def _copy_level(
    file: BinaryIO, reader: TiffReader, level: PyramidLevel, number: int
) -> NewDirectory:
    page = _copy_directory(reader, level.page, number)
    counts = [count for _, count in level.tiles]
    checksums = [crc32c(tile) for tile in _read_tiles(file, level)]
    return replace(page, tile_byte_counts=counts, tile_checksums=checksums)


def _copy_directory(
    reader: TiffReader, source: Directory, level: int, depth: int = 0
) -> NewDirectory:
    entries = {tag: source.entry(tag) for tag in source.tags() if tag not in _NOT_COPIED}
    if level:
        # ImageMagick leaves it out; without it a level is a picture of its own.
        entries.setdefault(Tag.NEW_SUBFILE_TYPE, longs(1))
    children = {}
    if depth < _MAXIMUM_DEPTH:
        for tag in _KEPT_POINTERS:
            if tag in source:
                inner = reader.directory(source.integer(tag))
                children[int(tag)] = _copy_directory(reader, inner, 0, depth + 1)
    return NewDirectory(entries, children)


def _is_wide(page: NewDirectory) -> bool:
    return any(
        entry.type in _WIDE_TYPES for member in page.family() for entry in member.entries.values()
    )


def _read_ranges(file: BinaryIO) -> ReadRange:
    def read(offset: int, length: int) -> bytes:
        file.seek(offset)
        return file.read(length)

    return read


def _read_tiles(file: BinaryIO, level: PyramidLevel) -> Iterator[bytes]:
    for offset, count in level.tiles:
        file.seek(offset)
        yield file.read(count)
