"""An object that is replaced while it is read."""

import asyncio
import gc
from pathlib import Path

import pytest

from tests.rigs.clock import Clock
from tests.unit.deliver.blocks.block_store import BLOCK, NotingStore, opened, settled
from vitrine.adapters.memory.faults import Breaking
from vitrine.deliver.blocks.cache import Replaced
from vitrine.errors import Unavailable

SIZE = 20 * BLOCK


async def test_an_object_replaced_between_two_reads_is_never_mixed(tmp_path: Path) -> None:
    store = NotingStore()
    old = store.fill("a", SIZE)

    async with opened(store, tmp_path) as cache:
        file = await cache.file("a")
        new = store.fill("a", SIZE, seed=1)
        assert await file.read(0, BLOCK) == old[:BLOCK]
        with pytest.raises(Replaced):
            await file.read(BLOCK, 2 * BLOCK)
        assert file.replaced
        assert file.peek(0, BLOCK) is None
        reopened = await cache.file("a")
        assert reopened is not file
        assert await reopened.read(0, SIZE) == new
        await settled(cache)
        assert list(tmp_path.iterdir()) == [reopened.path]


async def test_the_store_is_asked_again_when_a_file_in_use_is_due(tmp_path: Path) -> None:
    store, clock = NotingStore(), Clock()
    old = store.fill("a", SIZE)

    async with opened(store, tmp_path, clock=clock) as cache:
        file = await cache.file("a")
        clock.now = 50
        file.peek(0, 1)
        assert await cache.file("a") is file
        clock.now = 70
        for _ in range(5):
            assert file.peek(0, BLOCK) == old[:BLOCK]
        await settled(cache)
        assert store.heads == ["a"]
        assert not file.replaced
        store.fill("a", SIZE, seed=1)
        clock.now = 140
        store.gate.clear()
        assert file.peek(0, BLOCK) == old[:BLOCK]  # a hit never waits for the answer
        assert await cache.file("a") is file
        store.gate.set()
        await settled(cache)
        assert file.replaced
        assert await cache.file("a") is not file
        assert store.heads == ["a", "a"]


async def test_a_store_that_cannot_be_asked_changes_nothing(tmp_path: Path) -> None:
    store, clock = NotingStore(), Clock()
    old = store.fill("a", SIZE)
    breaking = Breaking(store, times=99, methods=frozenset({"head"}))

    async with opened(breaking, tmp_path, clock=clock) as cache:
        file = await cache.file("a")
        for clock.now in (100, 200, 300):
            assert file.peek(0, BLOCK) == old[:BLOCK]
            await settled(cache)
        assert not file.replaced


async def test_a_deleted_object_is_opened_no_more(tmp_path: Path) -> None:
    store, clock = NotingStore(), Clock()
    store.fill("a", SIZE)

    async with opened(store, tmp_path, clock=clock) as cache:
        file = await cache.file("a")
        store.delete("a")
        clock.now = 100
        assert file.peek(0, 1)
        await settled(cache)
        assert file.replaced
        with pytest.raises(Unavailable):
            await cache.file("a")


async def test_who_holds_a_pin_reads_the_old_object_to_the_end(tmp_path: Path) -> None:
    store, clock = NotingStore(), Clock()
    old = store.fill("a", SIZE)

    async with opened(store, tmp_path, clock=clock) as cache:
        file = await cache.file("a")
        async with file.pinned([(5 * BLOCK, BLOCK)]) as path:
            new = store.fill("a", SIZE, seed=1)
            clock.now = 100
            file.peek(0, 1)
            await settled(cache)
            reopened = await cache.file("a")
            assert await reopened.read(5 * BLOCK, BLOCK) == new[5 * BLOCK : 6 * BLOCK]
            assert path.read_bytes()[5 * BLOCK : 6 * BLOCK] == old[5 * BLOCK : 6 * BLOCK]
            assert await file.read(5 * BLOCK, BLOCK) == old[5 * BLOCK : 6 * BLOCK]
            assert file.peek(0, 1) is None
            with pytest.raises(Replaced):
                await file.read(0, 1)
        await settled(cache)
        assert not path.exists()
        assert reopened.path.exists()


async def test_blocks_on_their_way_of_a_replaced_object_are_dropped(tmp_path: Path) -> None:
    store, clock = NotingStore(), Clock()
    store.fill("a", SIZE)

    async with opened(store, tmp_path, clock=clock) as cache:
        file = await cache.file("a")
        store.gate.clear()
        reading = asyncio.create_task(file.read(5 * BLOCK, BLOCK))
        while len(store.reads) < 2:
            await asyncio.sleep(0.001)
        reading.cancel()
        file.mark_replaced()
        store.gate.set()
        await settled(cache)
        assert not list(tmp_path.iterdir())
        assert cache.used_bytes == 0


@pytest.mark.slow
async def test_files_that_nobody_needs_are_forgotten(tmp_path: Path) -> None:
    store = NotingStore()
    store.fill("a", SIZE)

    async with opened(store, tmp_path) as cache:
        file = await cache.file("a")
        file.mark_replaced()
        await settled(cache)
        del file
        gc.collect()
        assert not cache._files
        assert not cache._disk._owners
