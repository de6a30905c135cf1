"""What is read of the store, and when."""

import asyncio
from pathlib import Path

import pytest

from tests.unit.deliver.blocks.block_store import BLOCK, NotingStore, opened, settled
from vitrine.deliver.blocks.cache import FIRST_READ_BYTES, BlockCache
from vitrine.errors import Unavailable

SIZE = 100 * BLOCK + 5


async def test_the_first_read_learns_what_the_object_is(tmp_path: Path) -> None:
    store = NotingStore()
    body = store.fill("a", SIZE)

    async with opened(store, tmp_path) as cache:
        file = await cache.file("a")
        assert (file.key, file.size, file.etag) == ("a", SIZE, store.versions_etag("a"))
        assert file.peek(0, FIRST_READ_BYTES) == body[:FIRST_READ_BYTES]
        assert file.peek(FIRST_READ_BYTES - 1, 2) is None
        assert await cache.file("a") is file
    assert store.reads == [(0, 2)]
    assert not store.heads


@pytest.mark.parametrize("size", [0, 1, BLOCK, BLOCK + 1, 2 * BLOCK])
async def test_a_small_object_is_here_after_one_read(tmp_path: Path, size: int) -> None:
    store = NotingStore()
    body = store.fill("a", size)

    async with opened(store, tmp_path) as cache:
        file = await cache.file("a")
        assert file.peek(0, size) == await file.read(0, size + 100) == body
        assert file.peek(0, 3 * BLOCK) == body
        assert file.peek(size, 1) == file.peek(size + BLOCK, 1) == b""
    assert store.reads == [(0, 2)]


async def test_an_absent_object_is_unavailable(tmp_path: Path) -> None:
    async with opened(NotingStore(), tmp_path) as cache:
        with pytest.raises(Unavailable, match="missing"):
            await cache.file("a")
        assert cache.used_bytes == 0


async def test_neighbours_come_in_one_read_and_never_twice(tmp_path: Path) -> None:
    store = NotingStore()
    body = store.fill("a", SIZE)

    async with opened(store, tmp_path) as cache:
        file = await cache.file("a")
        assert await file.read(12 * BLOCK + 7, BLOCK) == body[12 * BLOCK + 7 :][:BLOCK]
        assert await file.read(10 * BLOCK, 9 * BLOCK) == body[10 * BLOCK : 19 * BLOCK]
        assert await file.read(SIZE - 3, 100) == body[-3:]
        assert await file.read(10 * BLOCK, 9 * BLOCK) == body[10 * BLOCK : 19 * BLOCK]
    assert store.reads[:2] == [(0, 2), (12, 2)]
    assert sorted(store.reads[2:]) == [(10, 2), (14, 5), (100, 1)]


async def test_a_long_read_is_cut(tmp_path: Path) -> None:
    store = NotingStore()
    body = store.fill("a", SIZE)

    async with opened(store, tmp_path) as cache:
        file = await cache.file("a")
        assert await file.read(0, SIZE) == body
    assert sorted(store.reads[1:]) == [(2, 32), (34, 32), (66, 32), (98, 3)]


async def test_distant_blocks_are_read_at_the_same_time(tmp_path: Path) -> None:
    store = NotingStore()
    store.fill("a", SIZE)

    async with opened(store, tmp_path) as cache:
        file = await cache.file("a")
        store.gate.clear()
        pin = file.pinned([(block * BLOCK, 1) for block in (10, 20, 30, 40)])
        entering = asyncio.create_task(pin.__aenter__())
        while len(store.reads) < 5:  # all are asked for before the first is answered
            await asyncio.sleep(0.001)
        store.gate.set()
        await entering


async def test_a_large_region_leaves_connections_to_others(tmp_path: Path) -> None:
    store = NotingStore()
    store.fill("a", SIZE)
    body = store.fill("b", SIZE)

    async with opened(store, tmp_path) as cache:
        large, small = await cache.file("a"), await cache.file("b")
        store.gate.clear()
        pin = large.pinned([(block * BLOCK, 1) for block in range(2, 100, 2)])
        entering = asyncio.create_task(pin.__aenter__())
        reading = asyncio.create_task(small.read(50 * BLOCK, 10))
        while (50, 1) not in store.reads[2:]:
            await asyncio.sleep(0.001)
        assert len(store.reads) < 20
        store.gate.set()
        assert await reading == body[50 * BLOCK :][:10]
        await entering
    assert len(store.reads) == 2 + 49 + 1


async def test_fifty_readers_of_a_cold_object_read_no_block_twice(tmp_path: Path) -> None:
    store = NotingStore()
    body = store.fill("a", SIZE)

    async def use(cache: BlockCache, number: int) -> None:
        file = await cache.file("a")
        offset, length = number % 7 * 3 * BLOCK, (2 + number % 5) * BLOCK
        assert await file.read(offset, length) == body[offset : offset + length]

    async with opened(store, tmp_path) as cache:
        await asyncio.gather(*(use(cache, number) for number in range(50)))
    read = [block for first, count in store.reads for block in range(first, first + count)]
    assert len(read) == len(set(read)) == 6 * 3 + 6


async def test_a_reader_that_goes_away_takes_nothing_from_the_others(tmp_path: Path) -> None:
    store = NotingStore()
    body = store.fill("a", SIZE)

    async with opened(store, tmp_path) as cache:
        file = await cache.file("a")
        store.gate.clear()
        leaving = asyncio.create_task(file.read(10 * BLOCK, 3 * BLOCK))
        staying = asyncio.create_task(file.read(12 * BLOCK, 3 * BLOCK))
        await asyncio.sleep(0)
        leaving.cancel()
        alone = asyncio.create_task(file.read(50 * BLOCK, 1))
        await asyncio.sleep(0)
        alone.cancel()
        await asyncio.wait([leaving, alone])
        store.gate.set()
        assert await staying == body[12 * BLOCK : 15 * BLOCK]
        await settled(cache)
        assert file.peek(50 * BLOCK, 1) is not None  # it came all the same
    assert sorted(store.reads[1:]) == [(10, 3), (13, 2), (50, 1)]


async def test_a_reader_that_goes_away_while_it_opens_takes_nothing_either(tmp_path: Path) -> None:
    store = NotingStore()
    store.fill("a", SIZE)

    async with opened(store, tmp_path) as cache:
        store.gate.clear()
        openings = [asyncio.create_task(cache.file("a")) for _ in range(3)]
        await asyncio.sleep(0)
        openings[0].cancel()
        await asyncio.wait([openings[0]])
        store.gate.set()
        assert (await openings[1]) is (await openings[2])
    assert store.reads == [(0, 2)]


async def test_what_an_earlier_process_left_is_removed(tmp_path: Path) -> None:
    (tmp_path / "0123-1.tif").write_bytes(b"old")

    async with opened(NotingStore(), tmp_path):
        assert not list(tmp_path.iterdir())


async def test_nothing_of_a_key_reaches_the_file_system(tmp_path: Path) -> None:
    store = NotingStore()
    store.fill("../../etc/passwd", SIZE)

    async with opened(store, tmp_path) as cache:
        file = await cache.file("../../etc/passwd")
        assert file.path.parent == tmp_path
        assert list(tmp_path.iterdir()) == [file.path]
        assert "passwd" not in file.path.name
