"""The TIFF reader, the levels and tile indexes of a pyramid.

`python -m tests.fuzz.fuzz_tiff_reader CORPUS`. Promised: nothing but MalformedTiff is raised, and
no read leaves the file.
"""

from collections.abc import Iterable
from contextlib import suppress

from tests.fuzz.engine import engine
from tests.fuzz.oracle import VirtualFile

with engine.imports():
    from vitrine.deliver.pyramids.head import PyramidHead, read_head
    from vitrine.errors import Unavailable
    from vitrine.iiif.region import Box
    from vitrine.store.tiff.entry import MalformedTiff
    from vitrine.store.tiff.pyramid import read_levels
    from vitrine.store.tiff.reading import Bounds, TiffReader
    from vitrine.store.tiff.tags import DIRECTORY_POINTERS

PEAK_BYTES = 48 << 20
BLOCK = 16 << 10
MIN_TILE = 16
"""Pixels of a tile: nobody reads a large box of smaller ones."""
CURIOUS = Bounds(pages=16, value_bytes=1 << 18, total_bytes=1 << 20)
"""Values that the walk reads: more would only take longer."""


def check(data: bytes) -> None:
    """Check one input: a file as `oracle.virtual` packs it."""
    file = VirtualFile(data)
    with suppress(MalformedTiff):
        _read_everything(file)
    assert file.read_bytes <= CURIOUS.total_bytes
    with suppress(MalformedTiff):
        _read_pyramid(file)
    with suppress(MalformedTiff):
        _open_pyramid(file)


def _read_everything(file: VirtualFile) -> None:
    """Read everything there is, one level below the pages, as a curious program would."""
    reader = TiffReader(file.read, file.size, CURIOUS)
    for page in reader.pages():
        for tag in page.tags():
            with suppress(MalformedTiff):
                entry = page.entry(tag)
                assert len(entry.data) == page.length(tag) == len(page.raw(tag))
                assert len(page.integers(tag)) == page.count(tag)
            if tag in DIRECTORY_POINTERS:
                with suppress(MalformedTiff):
                    reader.directory(page.integer(tag)).tags()


def _read_pyramid(file: VirtualFile) -> None:
    """Read the levels as ingest does."""
    levels = read_levels(TiffReader(file.read, file.size))
    for level in levels:
        with suppress(MalformedTiff):
            tiles = level.tiles
            assert len(tiles) == level.columns * level.rows
            assert all(offset >= 0 and length >= 0 for offset, length in tiles)


def _open_pyramid(file: VirtualFile) -> None:
    """Read head, levels and tile indexes as the gateway does."""
    head = read_head(file.read, file.size)
    _check_ranges(head.ranges, file.size)
    for level in head.levels:
        with suppress(Unavailable):
            _check_ranges([level.tile_range(level.columns - 1, level.rows - 1)], file.size)
        corner = Box(max(level.width - 300, 0), max(level.height - 300, 0), 300, 300)
        if level.tile_width * level.tile_height >= MIN_TILE:
            with suppress(Unavailable):
                _check_ranges(level.ranges(corner), file.size)
    again = _open_over_blocks(file)
    assert (again.icc, again.ranges) == (head.icc, head.ranges)
    assert [level.offsets for level in again.levels] == [level.offsets for level in head.levels]


def _check_ranges(ranges: Iterable[tuple[int, int]], size: int) -> None:
    for offset, length in ranges:
        assert offset >= 0, (offset, length)
        assert 0 < length <= size - offset, (offset, length)


class _Missing(Exception):
    pass


def _open_over_blocks(file: VirtualFile) -> PyramidHead:
    """Read the same with each block missing at first, so that reading starts again."""
    present: set[int] = set()
    fetched = False

    def read(offset: int, length: int) -> bytes:
        nonlocal fetched
        blocks = set(range(offset // BLOCK, (offset + max(length, 1) - 1) // BLOCK + 1))
        fetched = bool(blocks - present)
        present.update(blocks)
        if fetched:
            raise _Missing
        return file.read(offset, length)

    while True:
        with suppress(_Missing):
            return read_head(read, file.size)
        assert fetched


if __name__ == "__main__":
    engine.run(check, PEAK_BYTES)
