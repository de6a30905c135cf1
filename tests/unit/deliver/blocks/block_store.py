"""A store that notes what is read of it, and a cache over it."""

import asyncio
import random
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from tests.rigs.clock import Clock
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.deliver.blocks.cache import BLOCK_BYTES, MEMORY_BYTES, BlockCache
from vitrine.ports import ObjectInfo, ObjectPart, ObjectStore

K = 1024
BLOCK = BLOCK_BYTES
ROOMY = 1 << 30


class NotingStore(MemoryObjectStore):
    """Notes (first block, number of blocks) of every read, and every head."""

    def __init__(self) -> None:
        super().__init__()
        self.reads: list[tuple[int, int]] = []
        self.heads: list[str] = []
        self.gate = threading.Event()
        """Reads and heads wait until it is set."""
        self.gate.set()
        self.before_read: Callable[[], None] = lambda: None

    def read(
        self, key: str, start: int, length: int, *, version: str = "", if_etag: str = ""
    ) -> ObjectPart:
        assert start % BLOCK == 0
        self.reads.append((start // BLOCK, -(-length // BLOCK)))
        assert self.gate.wait(10)
        self.before_read()
        return super().read(key, start, length, version=version, if_etag=if_etag)

    def head(self, key: str) -> ObjectInfo:
        self.heads.append(key)
        assert self.gate.wait(10)
        return super().head(key)

    def versions_etag(self, key: str) -> str:
        """The ETag of what is there now."""
        return super().head(key).etag

    def fill(self, key: str, size: int, seed: int = 0) -> bytes:
        """Put `size` bytes that are nowhere alike."""
        body = random.Random(f"{key} {seed}").randbytes(size)
        self.put(key, body, content_type="image/tiff")
        return body


@asynccontextmanager
async def opened(
    store: ObjectStore,
    directory: Path,
    budget: int = ROOMY,
    clock: Clock | None = None,
    memory: int = MEMORY_BYTES,
) -> AsyncIterator[BlockCache]:
    """A cache that compares every 60 seconds of `clock`."""
    cache = BlockCache(
        store,
        directory,
        budget,
        revalidate_seconds=60,
        memory_bytes=memory,
        clock=clock or Clock(),
    )
    try:
        yield cache
    finally:
        await settled(cache)
        cache.close()


async def settled(cache: BlockCache) -> None:
    """Return when nothing is under way in the background.

    What follows a task that has just ended begins a turn of the loop later: nothing twice.
    """
    quiet = 0
    while quiet < 2:
        me = asyncio.current_task()
        others = asyncio.all_tasks()
        background = [task for task in others if task is not me and "blocks" in repr(task)]
        quiet = 0 if background else quiet + 1
        await (asyncio.wait(background) if background else asyncio.sleep(0))


def disk_bytes(directory: Path) -> int:
    """What the files really take."""
    return sum(path.stat().st_blocks * 512 for path in directory.iterdir())
