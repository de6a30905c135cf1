"""Access masters on local disk."""

import asyncio
import errno
import os
import time
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from deliver_records import live

from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.deliver.local_images import LocalImages
from vitrine.errors import TransientError, Unavailable
from vitrine.ports import ObjectInfo


class CountingStore(MemoryObjectStore):
    """Holds images a to e of 100 bytes; counts, dawdles and fails as told."""

    def __init__(self, seconds: float = 0.0) -> None:
        super().__init__()
        self.downloads: list[str] = []
        self.error: Exception | None = None
        self._seconds = seconds
        for name in "abcde":
            self.put(live(name).access_master_key, name.encode() * 100, content_type="image/tiff")

    def download(self, key: str, path: Path, version: str = "") -> ObjectInfo:
        self.downloads.append(key.split("/")[1])
        time.sleep(self._seconds)
        if self.error:
            path.write_bytes(b"half")
            raise self.error
        return super().download(key, path, version)


async def use(images: LocalImages, *names: str) -> None:
    for name in names:
        async with images.hold(live(name)) as path:
            assert path.read_bytes() == name.encode() * 100


def files(directory: Path) -> int:
    return len(list(directory.iterdir()))


def test_an_image_is_fetched_once_however_many_ask(tmp_path: Path) -> None:
    store = CountingStore(seconds=0.05)

    async def run() -> None:
        images = LocalImages(store, tmp_path, 1000)
        await asyncio.gather(*(use(images, "a") for _ in range(50)))
        await use(images, "a")
        images.close()

    asyncio.run(run())
    assert store.downloads == ["a"]


def test_a_client_that_goes_away_does_not_end_the_fetch_of_the_others(tmp_path: Path) -> None:
    store = CountingStore(seconds=0.1)

    async def run() -> None:
        images = LocalImages(store, tmp_path, 1000)
        first, second = (asyncio.create_task(use(images, "a")) for _ in range(2))
        await asyncio.sleep(0.02)
        first.cancel()
        await second
        images.close()

    asyncio.run(run())
    assert store.downloads == ["a"]


def test_the_least_recently_used_goes_first_and_the_budget_holds(tmp_path: Path) -> None:
    store = CountingStore()

    async def run() -> None:
        images = LocalImages(store, tmp_path, 250)
        await use(images, "a", "b", "a", "c", "a", "b")
        images.close()

    asyncio.run(run())
    assert store.downloads == ["a", "b", "c", "b"]
    assert files(tmp_path) == 2


def test_an_image_in_use_is_not_evicted(tmp_path: Path) -> None:
    async def run() -> None:
        images = LocalImages(CountingStore(), tmp_path, 250)
        async with AsyncExitStack() as held:
            path = await held.enter_async_context(images.hold(live("a")))
            await use(images, "b", "c", "d")
            assert path.exists()
            await held.enter_async_context(images.hold(live("b")))
            with pytest.raises(Unavailable, match="in use"):
                await use(images, "c")
        await use(images, "c")
        images.close()

    asyncio.run(run())


def test_an_image_larger_than_the_cache_is_refused(tmp_path: Path) -> None:
    async def run() -> None:
        images = LocalImages(CountingStore(), tmp_path, 99)
        with pytest.raises(Unavailable, match="larger"):
            await use(images, "a")
        images.close()

    asyncio.run(run())


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "disk is full"),
        (TransientError("reset"), "cannot be fetched"),
    ],
)
def test_a_failed_fetch_leaves_nothing_and_the_next_one_works(
    tmp_path: Path, error: Exception, reason: str
) -> None:
    store = CountingStore()

    async def run() -> None:
        images = LocalImages(store, tmp_path, 100)
        store.error = error
        for _ in range(3):
            with pytest.raises(Unavailable, match=reason):
                await use(images, "a")
        assert files(tmp_path) == 0
        store.error = None
        await use(images, "a")
        images.close()

    asyncio.run(run())


def test_a_full_disk_is_relieved_of_idle_images_and_tried_once_more(tmp_path: Path) -> None:
    class Small(CountingStore):
        """On a disk with room for two images, less than the budget."""

        def download(self, key: str, path: Path, version: str = "") -> ObjectInfo:
            full = files(tmp_path) >= 2
            self.error = OSError(errno.ENOSPC, "No space left on device") if full else None
            return super().download(key, path, version)

    store = Small()

    async def run() -> None:
        images = LocalImages(store, tmp_path, 1000)
        async with images.hold(live("a")) as held:
            await use(images, "b", "c")
            assert held.exists()
            assert files(tmp_path) == 2
            async with images.hold(live("c")):
                with pytest.raises(Unavailable, match="disk is full"):
                    await use(images, "d")
        images.close()

    asyncio.run(run())
    assert store.downloads == ["a", "b", "c", "c", "d"]


def test_a_file_of_another_size_than_published_is_never_served(tmp_path: Path) -> None:
    async def run() -> None:
        images = LocalImages(CountingStore(), tmp_path, 1000)
        with pytest.raises(Unavailable):
            async with images.hold(live("a", access_master_bytes=101)):
                pytest.fail("half a file was served")
        assert files(tmp_path) == 0
        images.close()

    asyncio.run(run())


def test_a_missing_access_master_is_unavailable_not_an_accident(tmp_path: Path) -> None:
    async def run() -> None:
        images = LocalImages(CountingStore(), tmp_path, 1000)
        with pytest.raises(Unavailable, match="missing"):
            await use(images, "z")
        images.close()

    asyncio.run(run())


def test_a_new_process_takes_over_what_is_whole_and_within_its_budget(tmp_path: Path) -> None:
    store = CountingStore()

    async def run(budget: int, *names: str) -> None:
        images = LocalImages(store, tmp_path, budget)
        await use(images, *names)
        images.close()

    asyncio.run(run(1000, "a", "b", "c"))
    for path in tmp_path.iterdir():
        if path.read_bytes().startswith(b"b"):
            os.utime(path, ns=(time.time_ns() + 10**9, path.stat().st_mtime_ns))
    (tmp_path / "half.tif.part").write_bytes(b"half")
    asyncio.run(run(100, "b"))
    assert store.downloads == ["a", "b", "c"]
    assert files(tmp_path) == 1


def test_nothing_of_an_identifier_reaches_the_file_system(tmp_path: Path) -> None:
    image = live("a", access_master_key="../../etc/passwd")
    store = CountingStore()
    store.put(image.access_master_key, b"x" * 100, content_type="image/tiff")

    async def run() -> None:
        images = LocalImages(store, tmp_path / "cache", 1000)
        async with images.hold(image) as path:
            assert path.parent == tmp_path / "cache"
            assert set(path.stem) <= set("0123456789abcdef")
        images.close()

    asyncio.run(run())
