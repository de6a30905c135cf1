"""Stores and disks that fail."""

import asyncio
import errno
import gc
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.deliver.blocks.block_store import BLOCK, NotingStore, disk_bytes, opened, settled
from vitrine.adapters.memory.faults import Breaking, Short
from vitrine.deliver.blocks.cached_file import CachedFile
from vitrine.deliver.blocks.source import RangeSource
from vitrine.deliver.blocks.sparse import SparseFile
from vitrine.errors import Replaced, Unavailable
from vitrine.ports import ObjectStore

SIZE = 20 * BLOCK
Failing = Callable[[NotingStore, int], ObjectStore]
FAULTS: list[Failing] = [
    lambda store, times: Breaking(store, times=times),
    lambda store, times: Short(store, times=times),
]


@pytest.mark.parametrize("failing", FAULTS)
async def test_a_read_that_fails_twice_is_tried_a_third_time(
    tmp_path: Path, failing: Failing
) -> None:
    store = NotingStore()
    body = store.fill("a", SIZE)

    async with opened(failing(store, 2), tmp_path) as cache:
        file = await cache.file("a")
        assert await file.read(0, 5 * BLOCK) == body[: 5 * BLOCK]


@pytest.mark.parametrize("failing", FAULTS)
async def test_a_store_that_always_fails_is_unavailable_until_it_works(
    tmp_path: Path, failing: Failing
) -> None:
    store = NotingStore()
    body = store.fill("a", SIZE)

    async with opened(failing(store, 3), tmp_path) as cache:
        with pytest.raises(Unavailable, match="cannot be fetched"):
            await cache.file("a")
        assert cache.used_bytes == 0
        assert not list(tmp_path.iterdir())
        assert await (await cache.file("a")).read(0, SIZE) == body


async def test_a_failed_block_reaches_all_who_wait_and_is_read_again(tmp_path: Path) -> None:
    store = NotingStore()
    body = store.fill("a", SIZE)
    failing = Breaking(store, times=0)

    async with opened(failing, tmp_path) as cache:
        file = await cache.file("a")
        before = cache.used_bytes
        failing.fail_next(3)
        waiting = [file.read(5 * BLOCK, 2 * BLOCK) for _ in range(3)]
        results = await asyncio.gather(*waiting, return_exceptions=True)
        assert [type(result) for result in results] == [Unavailable] * 3
        assert cache.used_bytes == before
        assert await file.read(5 * BLOCK, 2 * BLOCK) == body[5 * BLOCK : 7 * BLOCK]


async def test_a_read_that_stalls_is_given_up_and_tried_again() -> None:
    store = NotingStore()
    body = store.fill("a", SIZE)
    stalled, ended = threading.Event(), threading.Event()

    def stall_once() -> None:
        if not stalled.is_set():
            stalled.set()
            ended.wait(10)

    store.before_read = stall_once

    source = RangeSource(store, attempts_seconds=(0.05, 9, 9), pauses_seconds=(0, 0))
    assert (await source.read("a", 0, 10)).data == body[:10]
    ended.set()
    source.close()
    assert len(store.reads) == 2


async def test_a_store_that_stalls_for_good_is_unavailable() -> None:
    store = NotingStore()
    store.fill("a", SIZE)
    ended = threading.Event()
    store.before_read = lambda: ended.wait(10) and None

    source = RangeSource(store, attempts_seconds=(0.02, 0.02, 0.02), pauses_seconds=(0, 0))
    with pytest.raises(Unavailable):
        await source.read("a", 0, 10)
    ended.set()
    source.close()
    assert len(store.reads) == 3


class FailingDisk:
    """`SparseFile.write` that fails some times, half-way."""

    def __init__(self, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.code = code
        self.times = 0
        self._write = SparseFile.write
        monkeypatch.setattr(
            SparseFile, "write", lambda file, start, data: self.write(file, start, data)
        )

    def write(self, file: SparseFile, start: int, data: bytes) -> None:
        if self.times:
            self.times -= 1
            self._write(file, start, data[: len(data) // 2])
            raise OSError(self.code, "on purpose")
        self._write(file, start, data)


async def test_a_full_disk_is_relieved_and_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, disk = NotingStore(), FailingDisk(errno.ENOSPC, monkeypatch)
    body = store.fill("a", SIZE)

    async with opened(store, tmp_path) as cache:
        file = await cache.file("a")
        disk.times = 1
        assert await file.read(5 * BLOCK, 2 * BLOCK) == body[5 * BLOCK : 7 * BLOCK]
        assert file.peek(0, 1) is None  # gave its room
        assert await file.read(0, BLOCK) == body[:BLOCK]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EROFS])
async def test_nothing_half_written_is_used_of_a_disk_that_takes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    store, disk = NotingStore(), FailingDisk(code, monkeypatch)
    body = store.fill("a", SIZE)

    async with opened(store, tmp_path) as cache:
        file = await cache.file("a")
        disk.times = 2
        with pytest.raises(Replaced):
            await file.read(5 * BLOCK, 2 * BLOCK)
        await settled(cache)
        assert disk_bytes(tmp_path) <= cache.used_bytes
        assert file.peek(5 * BLOCK, 1) is None
        disk.times = 0
        again = await cache.file("a")
        assert await again.read(5 * BLOCK, 2 * BLOCK) == body[5 * BLOCK : 7 * BLOCK]


async def test_damaged_bytes_are_read_again(tmp_path: Path) -> None:
    store = NotingStore()
    body = store.fill("a", SIZE)

    async with opened(store, tmp_path) as cache:
        file = await cache.file("a")
        with file.path.open("r+b") as damaged:
            damaged.write(b"damage")
        assert file.peek(0, 6) == b"damage"
        file.forget(0, 6)
        assert file.peek(0, 6) is None
        assert file.peek(BLOCK, BLOCK) == body[BLOCK : 2 * BLOCK]
        assert await file.read(0, 6) == body[:6]
    assert store.reads == [(0, 2), (0, 1)]


async def test_damaged_bytes_that_are_pinned_go_when_they_are_not(tmp_path: Path) -> None:
    store = NotingStore()
    body = store.fill("a", SIZE)

    async with opened(store, tmp_path) as cache:
        file = await cache.file("a")
        async with file.pinned([(0, 1)]):
            file.forget(0, 6)
            assert file.peek(0, 6) == body[:6]
        assert file.peek(0, 6) is None
        assert await file.read(0, 6) == body[:6]


async def test_a_file_that_somebody_removed_is_read_again(tmp_path: Path) -> None:
    store = NotingStore()
    body = store.fill("a", SIZE)

    async with opened(store, tmp_path) as cache:
        file = await cache.file("a")
        file.path.unlink()
        assert file.peek(0, 1) is None
        assert await file.read(0, 3 * BLOCK) == body[: 3 * BLOCK]
        file.path.unlink()
        assert await file.read(4 * BLOCK, 1) == body[4 * BLOCK :][:1]
        assert await file.read(0, SIZE) == body
        assert file.path.read_bytes() == body


@pytest.mark.slow
async def test_closing_while_reads_are_under_way_is_quiet(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = NotingStore()
    store.fill("a", SIZE)

    async with opened(store, tmp_path) as cache:
        file = await cache.file("a")
        store.gate.clear()
        reading = asyncio.create_task(file.read(10 * BLOCK, 1))
        while len(store.reads) < 2:
            await asyncio.sleep(0.001)
        reading.cancel()
        cache.close()
        store.gate.set()
    gc.collect()
    assert not caplog.records


async def test_a_damaged_block_in_use_is_fetched_again_only_when_nobody_reads_it(
    tmp_path: Path,
) -> None:
    """Who has read damaged bytes must find them when he looks at what he has read."""
    store = NotingStore()
    body = store.fill("a", SIZE)
    async with opened(store, tmp_path) as cache:
        file = await cache.file("a")
        async with file.pinned([(0, BLOCK)]) as path:
            damage_first_byte(path)
            file.forget(0, BLOCK)
            again = asyncio.create_task(file.read(0, SIZE))
            other = asyncio.create_task(pin_and_read(file))
            await asyncio.sleep(0.05)
            assert not other.done()
            assert path.read_bytes()[0] != body[0]
        assert await other == body[:BLOCK]
        await again
        assert await file.read(0, BLOCK) == body[:BLOCK]


async def test_a_damaged_block_whose_file_is_lost_keeps_nobody_waiting(tmp_path: Path) -> None:
    store = NotingStore()
    body = store.fill("a", SIZE)
    async with opened(store, tmp_path) as cache:
        file = await cache.file("a")
        async with file.pinned([(0, BLOCK)]) as path:
            file.forget(0, BLOCK)
            path.unlink()
            other = asyncio.create_task(pin_and_read(file))
            await file.read(BLOCK, 1)  # finds that the file is gone
            file._drop_lost_blocks()
        assert await asyncio.wait_for(other, 10) == body[:BLOCK]


async def pin_and_read(file: CachedFile) -> bytes:
    """Read the first block of the local file while it is pinned."""
    async with file.pinned([(0, BLOCK)]) as path:
        return path.read_bytes()[:BLOCK]


def damage_first_byte(path: Path) -> None:
    with path.open("r+b") as file:
        first = file.read(1)
        file.seek(0)
        file.write(bytes([first[0] ^ 1]))


@pytest.mark.slow
async def test_a_read_that_fails_when_nobody_waits_any_more_is_quiet(tmp_path: Path) -> None:
    store = NotingStore()
    body = store.fill("a", SIZE)
    failing = Breaking(store, times=0)
    complaints: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))

    async with opened(failing, tmp_path) as cache:
        file = await cache.file("a")
        store.gate.clear()
        reading = asyncio.create_task(file.read(5 * BLOCK, 1))
        while len(store.reads) < 2:
            await asyncio.sleep(0.001)
        reading.cancel()
        await asyncio.wait([reading])
        store.before_read = _fail
        store.gate.set()
        await settled(cache)
        store.before_read = lambda: None
        del reading  # its traceback holds the failed task, which complains when it is collected
        gc.collect()
        assert complaints == []
        assert await file.read(5 * BLOCK, 1) == body[5 * BLOCK :][:1], "its block is free again"


def _fail() -> None:
    raise Unavailable("the store fails")
