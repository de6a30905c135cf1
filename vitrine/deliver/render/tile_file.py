"""Stored tiles in the local file, which a thread reads while they are pinned."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vitrine.deliver.pyramids.level import StoredLevel


class DamagedTile(Exception):
    """A tile cannot be decoded; `offset` and `length` are its bytes in the file."""

    def __init__(self, offset: int, length: int, reason: str) -> None:
        super().__init__(reason)
        self.offset = offset
        self.length = length


class TileFile:
    """The tiles of one level in an open file."""

    def __init__(self, descriptor: int, level: StoredLevel) -> None:
        self._descriptor = descriptor
        self.level = level

    def read(self, column: int, row: int) -> bytes:
        """Read a tile as it was written, from SOI to EOI. Raises DamagedTile, Unavailable."""
        offset, length = self.level.tile_range(column, row)
        stored = os.pread(self._descriptor, length, offset)
        if not self.level.accepts(row * self.level.columns + column, stored):
            raise DamagedTile(offset, length, "it is not the tile that was written")
        return stored

    def damage(self, column: int, row: int, reason: str) -> DamagedTile:
        """Return the exception to raise for a tile that was read."""
        return DamagedTile(*self.level.tile_range(column, row), reason)


@contextmanager
def open_tiles(path: Path, level: StoredLevel) -> Iterator[TileFile]:
    """Open the tiles of a level in the file at `path`."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        yield TileFile(descriptor, level)
    finally:
        os.close(descriptor)
