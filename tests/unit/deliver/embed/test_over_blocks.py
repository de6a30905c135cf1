"""Metadata is read over blocks that may be missing, from those that are there where it can be."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.unit.deliver.embed.embed_files import PACKET, STATEMENT, described
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.deliver.blocks.cache import BLOCK_BYTES, BlockCache, CachedFile
from vitrine.deliver.embed.selection import DerivativeMetadata, read_derivative_metadata
from vitrine.deliver.embed.tiles import tile_segments_reader
from vitrine.deliver.pyramids.reading import run_over_blocks
from vitrine.store.tiff.entry import opaque, text
from vitrine.store.tiff.tags import Type

KEY = "a.tif"


class CountingStore(MemoryObjectStore):
    """Counts reads of its one object."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.reads = 0
        self.put(KEY, data, content_type="image/tiff")

    def read(self, *arguments: Any, **options: Any) -> Any:
        self.reads += 1
        return super().read(*arguments, **options)


@asynccontextmanager
async def opened(store: CountingStore, folder: Path) -> AsyncIterator[CachedFile]:
    """The object, its first two blocks at hand."""
    cache = BlockCache(store, folder / "cache", 1 << 30, revalidate_seconds=60)
    try:
        yield await cache.file(KEY)
    finally:
        cache.close()


async def tile_segments(file: CachedFile) -> bytes:
    read_segments = tile_segments_reader("rights")
    return await run_over_blocks(file, lambda read: read_segments(read, file.size, KEY))


async def derivative_metadata(file: CachedFile) -> DerivativeMetadata:
    return await run_over_blocks(
        file, lambda read: read_derivative_metadata(read, file.size, name=KEY)
    )


async def test_what_lies_in_the_head_costs_no_read(tmp_path: Path) -> None:
    store = CountingStore(described() + bytes(4 * BLOCK_BYTES))
    async with opened(store, tmp_path) as file:
        assert b"Rembrandt" in await tile_segments(file)
        assert STATEMENT.encode() in (await derivative_metadata(file)).xmp
        assert store.reads == 1


async def test_what_lies_behind_the_tiles_costs_one_read_and_derivatives_alone(
    tmp_path: Path,
) -> None:
    packet = opaque(PACKET.ljust(20_000), Type.BYTE)

    store = CountingStore(described(MAKE=text("x" * 5 * BLOCK_BYTES), XMP=packet))
    async with opened(store, tmp_path) as file:
        assert b"Rembrandt" in await tile_segments(file)
        assert store.reads == 1
        assert STATEMENT.encode() in (await derivative_metadata(file)).xmp
        assert store.reads == 2
