"""What goes when room is needed, and what stays."""

import asyncio
import threading
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.unit.deliver.blocks.block_store import BLOCK, NotingStore, disk_bytes, opened, settled
from vitrine.deliver.blocks import space
from vitrine.deliver.blocks.cache import BlockCache, CachedFile
from vitrine.deliver.blocks.sparse import SparseFile, punches_holes
from vitrine.errors import Unavailable

TEN = 10 * (BLOCK + 1024)
SIZE = 40 * BLOCK


def here(file: CachedFile) -> list[int]:
    """The blocks that are on disk, without using them."""
    return sorted(file._present)


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def touch(file: CachedFile, *blocks: int) -> None:
    for block in blocks:
        await file.read(block * BLOCK, BLOCK)


def test_this_file_system_takes_holes_back(tmp_path: Path) -> None:
    if not punches_holes(tmp_path):
        pytest.skip(f"{tmp_path} is on a file system without holes")
    file = SparseFile(tmp_path / "a", 3 * BLOCK)
    file.create()
    file.write(0, b"x" * 3 * BLOCK)
    before = file.path.stat()
    file.punch([(BLOCK, BLOCK)])
    after = file.path.stat()
    assert (before.st_blocks - after.st_blocks) * 512 == BLOCK
    assert file.path.read_bytes() == b"x" * BLOCK + bytes(BLOCK) + b"x" * BLOCK


async def test_the_least_recently_used_block_goes_first(tmp_path: Path) -> None:
    store = NotingStore()
    store.fill("a", SIZE)

    async with opened(store, tmp_path, TEN) as cache:
        file = await cache.file("a")
        await touch(file, *range(2, 10))
        assert file.peek(0, 1)
        assert file.peek(3 * BLOCK, 1)
        await touch(file, 20, 21)
        assert here(file) == [0, 3, 4, 5, 6, 7, 8, 9, 20, 21]
        await settled(cache)
        assert disk_bytes(tmp_path) <= TEN


async def test_kept_blocks_go_last_and_come_back_as_kept(tmp_path: Path) -> None:
    store = NotingStore()
    store.fill("a", SIZE)

    async with opened(store, tmp_path, TEN) as cache:
        file = await cache.file("a")
        file.keep([(0, BLOCK), (30 * BLOCK, 1)])
        await touch(file, 30, *range(2, 20))
        assert {0, 30} < set(here(file))
        async with file.pinned([(10 * BLOCK, 10 * BLOCK)]):
            assert here(file) == list(range(10, 20))
        await touch(file, 30, *range(2, 20))
        assert 30 in here(file)


async def test_pinned_blocks_never_go(tmp_path: Path) -> None:
    store = NotingStore()
    body = store.fill("a", SIZE)

    async with opened(store, tmp_path, TEN) as cache:
        file = await cache.file("a")
        async with file.pinned([(4 * BLOCK, 3 * BLOCK), (8 * BLOCK, 1)]) as path:
            await touch(file, *range(20, 40))
            assert path.read_bytes()[4 * BLOCK : 7 * BLOCK] == body[4 * BLOCK : 7 * BLOCK]
            assert {4, 5, 6, 8} < set(here(file))
            assert disk_bytes(tmp_path) <= TEN
        await touch(file, *range(10, 20))
        assert here(file) == list(range(10, 20))


async def test_a_cache_full_of_images_in_use_says_so_and_loses_nothing(tmp_path: Path) -> None:
    store = NotingStore()
    store.fill("a", SIZE)
    store.fill("b", SIZE)

    async with opened(store, tmp_path, TEN) as cache:
        file = await cache.file("a")
        async with file.pinned([(0, 9 * BLOCK)]):
            with pytest.raises(Unavailable, match="in use"):
                await cache.file("b")
            with pytest.raises(Unavailable, match="in use"):
                await file.read(10 * BLOCK, 2 * BLOCK)
            assert await file.read(10 * BLOCK, BLOCK)
        assert (await cache.file("b")).size == SIZE


async def test_nothing_is_written_before_what_must_go_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, gone, punch = NotingStore(), threading.Event(), SparseFile.punch
    store.fill("a", SIZE)

    def dawdle(file: SparseFile, ranges: Iterable[tuple[int, int]]) -> None:
        assert gone.wait(10)
        punch(file, ranges)

    monkeypatch.setattr(SparseFile, "punch", dawdle)

    async with opened(store, tmp_path, TEN) as cache:
        file = await cache.file("a")
        await touch(file, *range(2, 10))
        # The second one finds room that the first one's eviction has not yet made.
        reading = [asyncio.create_task(touch(file, block)) for block in (20, 30)]
        await asyncio.sleep(0.05)
        assert disk_bytes(tmp_path) <= TEN
        assert not any(task.done() for task in reading)
        gone.set()
        await asyncio.gather(*reading)
        await settled(cache)
        assert disk_bytes(tmp_path) <= TEN


async def test_two_pins_hold_until_the_second_is_gone(tmp_path: Path) -> None:
    store = NotingStore()
    store.fill("a", SIZE)

    async with opened(store, tmp_path, TEN) as cache:
        file = await cache.file("a")
        async with file.pinned([(4 * BLOCK, 1)]):
            async with file.pinned([(4 * BLOCK, 1)]):
                pass
            await touch(file, *range(10, 30))
            assert 4 in here(file)
        await touch(file, *range(10, 30))
        assert 4 not in here(file)


async def test_a_file_without_blocks_leaves_the_disk_but_stays_usable(tmp_path: Path) -> None:
    store = NotingStore()
    store.fill("a", SIZE)
    body = store.fill("b", 3 * BLOCK)

    async with opened(store, tmp_path, TEN) as cache:
        small, large = await cache.file("b"), await cache.file("a")
        await touch(large, *range(20))
        await settled(cache)
        assert list(tmp_path.iterdir()) == [large.path]
        assert await small.read(0, 3 * BLOCK) == body
        assert await cache.file("b") is small
        async with small.pinned([(0, 3 * BLOCK)]) as path:
            assert path.read_bytes() == body


@pytest.mark.slow
async def test_a_thousand_objects_leave_no_trace(tmp_path: Path) -> None:
    store = NotingStore()
    for number in range(1_000):
        store.put(f"{number}", b"x" * 5_000, content_type="")

    async with opened(store, tmp_path, TEN) as cache:
        for number in range(1_000):
            await cache.file(f"{number}")
        await settled(cache)
        assert len(cache._files) == len(cache._disk._owners) == len(list(tmp_path.iterdir()))
        assert len(cache._files) < 200


async def test_open_files_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(space, "_MAX_DESCRIPTORS", 16)
    store = NotingStore()
    bodies = {f"{n}": store.fill(f"{n}", 10) for n in range(100)}

    async with opened(store, tmp_path) as cache:
        before = open_descriptors()
        files = [await cache.file(key) for key in bodies]
        for _ in range(2):
            assert [file.peek(0, 10) for file in files] == list(bodies.values())
        assert open_descriptors() <= before + 16


async def fill_in_turn(cache: BlockCache, keys: list[str]) -> None:
    for key in keys:
        await touch(await cache.file(key), 0, 1, 2)


async def test_where_there_are_no_holes_whole_files_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(space, "punches_holes", lambda _: False)
    store = NotingStore()
    for key in "abcde":
        store.fill(key, 3 * BLOCK)

    async with opened(store, tmp_path, TEN) as cache:
        first = await cache.file("a")
        async with first.pinned([(0, 1)]):
            await fill_in_turn(cache, list("abcd"))
            names = {path.name for path in tmp_path.iterdir()}
            assert first.path.name in names
            assert len(names) == 3
            assert disk_bytes(tmp_path) <= TEN
        first.forget(0, 1)
        assert await first.read(0, BLOCK) == store.get("a")[0][:BLOCK]
        await fill_in_turn(cache, list("bcde"))
        await settled(cache)
        assert disk_bytes(tmp_path) <= TEN
        assert cache.used_bytes <= TEN
        assert not first.path.exists()


async def test_where_there_are_no_holes_a_full_file_makes_room_for_a_read_that_overlaps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(space, "punches_holes", lambda _: False)
    store = NotingStore()
    body = store.fill("a", SIZE)

    async with opened(store, tmp_path, TEN) as cache:
        file = await cache.file("a")
        await touch(file, *range(2, 10))
        assert await file.read(9 * BLOCK, 3 * BLOCK) == body[9 * BLOCK : 12 * BLOCK]
        assert here(file) == [9, 10, 11]
        async with file.pinned([(9 * BLOCK, BLOCK)]):
            await touch(file, *range(20, 27))
            with pytest.raises(Unavailable):  # another's pin is respected
                await file.read(11 * BLOCK, 2 * BLOCK)


async def test_whole_files_that_went_are_open_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(space, "punches_holes", lambda _: False)
    store = NotingStore()
    for key in "abcdef":
        store.fill(key, 3 * BLOCK)
    before = open_descriptors()

    async with opened(store, tmp_path, TEN) as cache:
        await fill_in_turn(cache, list("abcdef"))
    assert open_descriptors() <= before
