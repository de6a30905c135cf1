"""While the disk cannot be written, objects are served from memory, and little of them is kept."""

import errno
from collections.abc import Callable
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
from vitrine.deliver.blocks.sparse import SparseFile

SIZE = 20 * BLOCK + 777


@pytest.fixture
def fail(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Let every write to the disk fail with a code from now on, or with 0 none."""
    write, failing = SparseFile.write, {"code": 0}

    def write_or_fail(file: SparseFile, start: int, data: bytes) -> None:
        if failing["code"] and not str(file.path).startswith("/proc/"):
            raise OSError(failing["code"], "on purpose")
        write(file, start, data)

    monkeypatch.setattr(SparseFile, "write", write_or_fail)
    return lambda code: failing.update(code=code)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EIO, errno.EDQUOT])
async def test_a_disk_that_cannot_be_written_is_replaced_by_memory(
    tmp_path: Path, fail: Callable[[int], None], code: int
) -> None:
    store = NotingStore()
    body = store.fill("a", SIZE)

    async with opened(store, tmp_path) as cache:
        fail(code)
        file = await cache.file("a")
        assert file.is_in_memory
        assert await file.read(0, SIZE) == body
        async with file.pinned([(0, SIZE)]) as path:
            assert path.read_bytes() == body, "renderers open it as any file"
        await settled(cache)
        assert disk_bytes(tmp_path) == cache.used_bytes == 0
        assert "served from memory" in cache.problem


async def test_the_cache_starts_where_it_cannot_write_and_moves_to_the_disk_when_it_can(
    tmp_path: Path,
) -> None:
    store, clock = NotingStore(), Clock()
    body = store.fill("a", SIZE)
    (tmp_path / "volume").write_bytes(b"a file, where a directory should be mounted")

    async with opened(store, tmp_path / "volume" / "cache", clock=clock) as cache:
        file = await cache.file("a")
        assert await file.read(3 * BLOCK, BLOCK) == body[3 * BLOCK : 4 * BLOCK]
        assert cache.problem
        (tmp_path / "volume").unlink()
        clock.now += 10
        file.peek(0, 1)
        assert file.replaced
        again = await cache.file("a")
        assert not again.is_in_memory
        assert await again.read(3 * BLOCK, BLOCK) == body[3 * BLOCK : 4 * BLOCK]
        assert cache.problem == ""
        assert cache.used_bytes > 0


async def test_memory_is_bounded(tmp_path: Path, fail: Callable[[int], None]) -> None:
    store = NotingStore()
    bodies = {name: store.fill(name, SIZE) for name in "abcdef"}

    async with opened(store, tmp_path, memory=8 * BLOCK) as cache:
        fail(errno.EROFS)
        for name, body in bodies.items():
            file = await cache.file(name)
            for start in range(0, SIZE, 4 * BLOCK):
                assert await file.read(start, 4 * BLOCK) == body[start : start + 4 * BLOCK]
                assert cache._memory.ledger.used <= 8 * BLOCK
