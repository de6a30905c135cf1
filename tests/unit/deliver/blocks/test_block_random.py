"""Whatever is asked of a cache that is far too small, in whatever order: no byte is ever wrong."""

import asyncio
import random
from functools import partial
from pathlib import Path

import pytest

from tests.rigs.clock import Clock
from tests.unit.deliver.blocks.block_store import (
    BLOCK,
    NotingStore,
    disk_bytes,
    opened,
    settled,
)
from vitrine.adapters.memory.faults import Breaking, Short
from vitrine.deliver.blocks import cache as blocks_cache
from vitrine.deliver.blocks import source, space
from vitrine.deliver.blocks.cache import BlockCache, CachedFile
from vitrine.errors import Replaced, Unavailable

pytestmark = pytest.mark.slow

BUDGET = 12 * (BLOCK + 1024)
KEYS = ("a", "b", "c", "d")
STEPS = 150
USERS = 6


class Users:
    """Use a cache at random and compare every byte with the object of that ETag."""

    def __init__(self, seed: int, directory: Path) -> None:
        self.random = random.Random(seed)
        self.directory = directory
        self.store = NotingStore()
        self.clock = Clock()
        self.bodies: dict[str, bytes] = {}
        self.compared = 0
        self.failed = 0
        for key in KEYS:
            self.publish(key)

    def publish(self, key: str) -> None:
        size = self.random.choice((0, 1, BLOCK, BLOCK + 1, 5 * BLOCK, 30 * BLOCK + 777))
        body = self.store.fill(key, size, self.random.randrange(1 << 30))
        self.bodies[self.store.versions_etag(key)] = body

    async def use(self, cache: BlockCache) -> None:
        file: CachedFile | None = None
        for _ in range(STEPS):
            self.clock.now += self.random.random() * 3
            try:
                if file is None or file.replaced or self.random.random() < 0.2:
                    file = await cache.file(self.random.choice(KEYS))
                await self.step(file)
            except (Unavailable, Replaced):
                self.failed += 1
            assert disk_bytes(self.directory) <= BUDGET
            assert cache.used_bytes <= BUDGET

    async def use_all_again(self, cache: BlockCache) -> None:
        """Alone again: nothing is refused, however full it was."""
        for key in KEYS:
            file = await cache.file(key)
            body = self.bodies[file.etag]
            for offset in range(0, len(body), 4 * BLOCK):
                try:
                    assert await file.read(offset, 4 * BLOCK) == body[offset : offset + 4 * BLOCK]
                except Replaced:
                    assert self.store.versions_etag(key) != file.etag

    async def step(self, file: CachedFile) -> None:
        body = self.bodies[file.etag]
        offset = self.random.randrange(len(body) + 100)
        length = self.random.choice((1, 100, BLOCK, 3 * BLOCK))
        expected = body[offset : offset + length]
        match self.random.randrange(12):
            case 0:
                file.keep([(offset, length)])
            case 1:
                file.forget(offset, length)
            case 2:
                self.publish(self.random.choice(KEYS))
            case 3 | 4:
                async with file.pinned([(offset, length), (0, 10)]) as path:
                    for _ in range(self.random.randrange(4)):
                        await asyncio.sleep(0.001)
                    if body:
                        whole = path.read_bytes()
                        assert whole[:10] == body[:10]
                        assert whole[offset : offset + length] == expected
            case 5 | 6 | 7:
                assert file.peek(offset, length) in (None, expected)
            case _:
                assert await file.read(offset, length) == expected
                self.compared += 1


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("holes", [True, False])
async def test_no_byte_is_wrong_and_the_budget_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, holes: bool
) -> None:
    if not holes:
        monkeypatch.setattr(space, "punches_holes", lambda _: False)
    impatient = partial(source.RangeSource, pauses_seconds=(0.001, 0.001))
    monkeypatch.setattr(blocks_cache, "RangeSource", impatient)
    users = Users(seed, tmp_path)

    store = Short(Breaking(users.store, times=1, every=20), every=30)
    async with opened(store, tmp_path, BUDGET, users.clock) as cache:
        await asyncio.gather(*(users.use(cache) for _ in range(USERS)))
        await settled(cache)
        await users.use_all_again(cache)
    assert users.compared > STEPS / 5
