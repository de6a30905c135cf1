"""Access masters on local disk: fetched whole on first use, once, within a byte budget."""

import asyncio
import errno
import hashlib
import logging
import os
import time
from collections import OrderedDict
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from vitrine.deliver.flight import SingleFlight
from vitrine.errors import ObjectMissing, TransientError, Unavailable
from vitrine.identify.record import Live
from vitrine.ports import ObjectStore

_SUFFIX = ".tif"
_UNFINISHED = ".part"
_DOWNLOADS = 4
_TOUCH_SECONDS = 60
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT)

logger = logging.getLogger(__name__)


@dataclass
class _Entry:
    size: int
    holders: int = 0
    touched: float = 0.0


class LocalImages:
    """Keeps access masters in `directory`, the least recently used going first.

    `budget_bytes` is never exceeded: room is made before a fetch begins. A file appears
    under its name only when it is whole. One process owns the directory; the methods
    belong to one event loop.
    """

    def __init__(self, store: ObjectStore, directory: Path, budget_bytes: int) -> None:
        self._store = store
        self._directory = directory
        self._budget = budget_bytes
        self._used = 0
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._flights: SingleFlight[None] = SingleFlight()
        self._threads = ThreadPoolExecutor(_DOWNLOADS, thread_name_prefix="download")
        self._take_stock()

    @asynccontextmanager
    async def hold(self, image: Live) -> AsyncIterator[Path]:
        """The file of `image`, which stays while it is held. Raises Unavailable."""
        name = _file_name(image)
        # Between the fetch and our turn the file may have been evicted again.
        while name not in self._entries:
            await self._flights.run(name, lambda: self._fetch(image, name))
        entry = self._entries[name]
        self._entries.move_to_end(name)
        self._touch(name, entry)
        entry.holders += 1
        try:
            yield self._directory / name
        finally:
            entry.holders -= 1

    async def _fetch(self, image: Live, name: str) -> None:
        size = image.access_master_bytes
        self._make_room(size)
        self._used += size
        part = self._directory / f"{name}{_UNFINISHED}"
        try:
            await self._download_whole(image, part)
            part.replace(self._directory / name)
        except BaseException as error:
            self._used -= size
            part.unlink(missing_ok=True)
            reason = _unavailability(error)
            if reason is None:
                raise
            logger.error("access master %s: %s", image.access_master_key, error)
            raise Unavailable(reason) from error
        self._entries[name] = _Entry(size)

    async def _download_whole(self, image: Live, part: Path) -> None:
        """Download, a second time if the disk is full of something else but can be relieved."""
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self._threads, self._download, image, part)
        except OSError as error:
            part.unlink(missing_ok=True)
            if error.errno not in _DISK_FULL or not self._evict(image.access_master_bytes):
                raise
            logger.warning("access master %s: %s; trying again", image.access_master_key, error)
            await loop.run_in_executor(self._threads, self._download, image, part)

    def _download(self, image: Live, part: Path) -> None:
        self._store.download(image.access_master_key, part)
        size = part.stat().st_size
        logger.info("fetched %s, %d bytes", image.access_master_key, size)
        if size != image.access_master_bytes:
            raise TransientError(f"{size} bytes, {image.access_master_bytes} expected")

    def _make_room(self, size: int) -> None:
        if size > self._budget:
            raise Unavailable("the image is larger than the local cache")
        self._evict(self._used + size - self._budget)
        if self._used + size > self._budget:
            raise Unavailable("the local cache is full of images in use")

    def _evict(self, wanted: int) -> int:
        """Remove idle images until `wanted` bytes are free or none is idle; the bytes freed."""
        freed = 0
        idle = [name for name, entry in self._entries.items() if not entry.holders]
        for name in idle:
            if freed >= wanted:
                break
            freed += self._entries.pop(name).size
            (self._directory / name).unlink(missing_ok=True)
        self._used -= freed
        return freed

    def _touch(self, name: str, entry: _Entry) -> None:
        """Note the use on disk, for the next start. iipsrv watches mtime, so only atime moves."""
        now = time.monotonic()
        if entry.touched and now - entry.touched < _TOUCH_SECONDS:
            return
        entry.touched = now
        path = self._directory / name
        os.utime(path, ns=(time.time_ns(), path.stat().st_mtime_ns))

    def _take_stock(self) -> None:
        """Take over what an earlier process left; what it did not finish goes."""
        self._directory.mkdir(parents=True, exist_ok=True)
        for part in self._directory.glob(f"*{_UNFINISHED}"):
            part.unlink()
        found = [(path.stat(), path) for path in self._directory.glob(f"*{_SUFFIX}")]
        for status, path in sorted(found, key=lambda item: item[0].st_atime_ns):
            self._entries[path.name] = _Entry(status.st_size)
            self._used += status.st_size
        if self._used > self._budget:
            self._make_room(0)

    def close(self) -> None:
        """Let go of the threads."""
        self._threads.shutdown(wait=False)


def _file_name(image: Live) -> str:
    """A name of hexadecimal digits: nothing of an identifier reaches the file system."""
    return hashlib.sha256(image.access_master_key.encode()).hexdigest() + _SUFFIX


def _unavailability(error: BaseException) -> str | None:
    """What the client is told when a fetch failed in a known way."""
    match error:
        case ObjectMissing():
            return "the access master is missing"
        case TransientError():
            return "the access master cannot be fetched now"
        case OSError(errno=code) if code in _DISK_FULL:
            return "the local disk is full"
        case _:
            return None
