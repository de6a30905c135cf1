"""Stored tiles of an access master as whole JPEGs, without decoding one of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vitrine.deliver.embed.tiles import read_tile_segments
from vitrine.deliver.pyramids.head import PyramidHead, read_head
from vitrine.deliver.tiles.assembly import TileAssembly
from vitrine.deliver.tiles.crop import crop
from vitrine.export.level0 import StaticFile
from vitrine.ingest.inspect.master_bytes import LocalFile
from vitrine.store.ranged import whole_ranges


class StoredTiles:
    """The tiles of one access master in a local file."""

    def __init__(self, file: LocalFile, name: str) -> None:
        read = whole_ranges(file)
        self._read = read
        self._head: PyramidHead = read_head(read, file.size)
        segments = read_tile_segments(read, file.size, "rights", name=name)
        self._levels = [TileAssembly(level, segments) for level in self._head.levels]

    def find(self, target: StaticFile) -> bytes | None:
        """Return the JPEG, if it is exactly a stored tile; None if it has to be rendered.

        Raises Unavailable for a damaged access master.
        """
        assembly = self._levels[target.level]
        level, scale = assembly.level, 2**target.level
        left, top = target.region[:2] if target.region else (0, 0)
        column, row = left // (level.tile_width * scale), top // (level.tile_height * scale)
        if column >= level.columns or row >= level.rows:
            return None
        stored = (
            min(level.tile_width, level.width - column * level.tile_width),
            min(level.tile_height, level.height - row * level.tile_height),
        )
        if stored != (target.width, target.height) or not level.passes_through:
            return None
        jpeg = assembly.assemble(self._read(*level.tile_range(column, row)))
        if jpeg is None or stored == (level.tile_width, level.tile_height):
            return jpeg
        try:
            return crop(jpeg, *stored)
        except OSError:  # libjpeg-turbo is not installed here
            return None


@contextmanager
def open_stored_tiles(path: Path, name: str) -> Iterator[StoredTiles]:
    """Open an access master; `name` is for the log. Raises MalformedTiff, OSError."""
    with LocalFile(path) as file:
        yield StoredTiles(file, name)
