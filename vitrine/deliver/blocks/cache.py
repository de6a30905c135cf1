"""The block cache: objects of a store as sparse local files, within a budget of bytes."""

import asyncio
import hashlib
import itertools
import logging
import random
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from weakref import WeakValueDictionary

from vitrine.deliver.blocks.cached_file import CachedFile, FileServices
from vitrine.deliver.blocks.disk_watch import DiskFails, DiskWatch, Report
from vitrine.deliver.blocks.read_slots import Urgency, current_urgency
from vitrine.deliver.blocks.runs import BLOCK_BYTES, blocks_of, charge
from vitrine.deliver.blocks.source import RangeSource
from vitrine.deliver.blocks.space import Space
from vitrine.deliver.metrics.counters import Counters
from vitrine.deliver.single_flight import SingleFlight
from vitrine.errors import ObjectMissing, Replaced, ServiceFailed, Unavailable
from vitrine.ports import RangedStore

__all__ = ["BLOCK_BYTES", "FIRST_READ_BYTES", "BlockCache", "CachedFile", "Replaced"]

FIRST_READ_BYTES = 2 * BLOCK_BYTES
"""Length of the first read of an object, which also learns its ETag and size."""
MEMORY_BYTES = 96 << 20
"""Memory that takes the place of the disk: the blocks of one or two large renders."""
IN_MEMORY_SECONDS = 5.0
"""Seconds after which an object that is in memory and in use is tried on the disk again."""

logger = logging.getLogger(__name__)


class BlockCache:
    """The requested parts of the objects of `store`, kept in `directory`.

    The cache owns the directory alone and empties it at the start; it belongs to one event loop.
    Its files never take more disk than `budget_bytes`. An object in use is compared with the
    store's about every `revalidate_seconds`. While the disk cannot be written, objects are opened
    in memory, of which they take at most `memory_bytes`; `report` counts that.
    """

    def __init__(
        self,
        store: RangedStore,
        directory: Path,
        budget_bytes: int,
        *,
        revalidate_seconds: float,
        memory_bytes: int = MEMORY_BYTES,
        clock: Callable[[], float] = time.monotonic,
        report: Report = lambda event, message: None,
        counters: Counters | None = None,
        note_read: Callable[[int], None] = lambda length: None,
    ) -> None:
        self._directory = directory
        self._budget = budget_bytes
        self._seconds = revalidate_seconds
        self._clock = clock
        self._watch = DiskWatch(directory, clock, report)
        self._disk = self._prepare_disk()
        self._memory = Space(None, min(budget_bytes, memory_bytes))
        self._source = RangeSource(store, counters=counters, note_read=note_read)
        self._services = FileServices(
            self._source, clock, self._begin_check, self._forget_file, self._watch.note_failure
        )
        # A file lives as long as it has blocks (the space refers to it) or a caller holds it.
        self._files: WeakValueDictionary[str, CachedFile] = WeakValueDictionary()
        self._openings: SingleFlight[CachedFile] = SingleFlight()
        self._numbers = itertools.count(1)
        self._life = secrets.token_hex(4)
        self._checks: set[asyncio.Task[None]] = set()

    async def file(self, key: str) -> CachedFile:
        """Return the object as the store has it, or had it when it was last compared.

        The first call reads its first 256 KiB. Raises Unavailable.
        """
        file = self._files.get(key)
        if file is None:
            return await self._openings.run(key, lambda: self._open_file(key))
        if self._clock() >= file.due:
            self._begin_check(file)
        return file

    @property
    def used_bytes(self) -> int:
        """Disk that is taken or reserved, less what is being removed. At most the budget."""
        return self._disk.ledger.used - self._disk.ledger.leaving if self._disk else 0

    @property
    def problem(self) -> str:
        """A sentence if the disk cannot be written, else ""."""
        reason = self._watch.problem
        return f"cannot be written ({reason}): served from memory" if reason else ""

    def _prepare_disk(self) -> Space | None:
        """Return the directory's space, None if it cannot be written."""
        try:
            return Space(self._directory, self._budget)
        except OSError as error:
            self._watch.note_failure(error.strerror or str(error))
            return None

    async def _open_file(self, key: str) -> CachedFile:
        if self._watch.is_probe_due:
            self._probe_disk()
        if self._disk and not self._watch.problem:
            try:
                return await self._open_in(self._disk, key)
            except DiskFails as error:
                self._watch.note_failure(str(error))
        try:
            return await self._open_in(self._memory, key)
        except DiskFails as error:
            raise Unavailable("there is no memory for the image") from error

    async def _open_in(self, space: Space, key: str) -> CachedFile:
        most = charge(range(2), FIRST_READ_BYTES)
        # What opens an image may have others join it, who wait for a tile.
        slot = self._source.slots.slot(min(current_urgency(), Urgency.SMALL))
        async with slot, space.reserved(most) as reservation:
            part = await self._source.read(key, 0, FIRST_READ_BYTES)
            number = next(self._numbers)
            storage = space.make_file(
                _file_name(key, part.etag, f"{self._life}-{number:x}"), part.size
            )
            file = CachedFile(self._services, space, number, key, part.etag, storage)
            blocks = blocks_of([(0, FIRST_READ_BYTES)], part.size)
            try:
                await file.accept(range(len(blocks)), part.data, reservation)
            except FileNotFoundError as error:
                raise DiskFails("the file is gone") from error
            finally:
                space.settle(file)
        self._postpone_check(file)
        self._files[key] = file
        return file

    def _probe_disk(self) -> None:
        """Look whether the disk can be written again, and have files in memory move to it."""
        if not self._watch.probe():
            return
        self._disk = self._disk or self._prepare_disk()
        if self._disk:
            logger.info("The block cache in %s can be written again.", self._directory)
            for file in list(self._files.values()):
                if file.is_in_memory:
                    file.mark_replaced()

    def _begin_check(self, file: CachedFile) -> None:
        self._postpone_check(file)
        if file.is_in_memory and self._watch.is_probe_due:
            self._probe_disk()
        if file.replaced:
            return
        task = asyncio.get_running_loop().create_task(self._compare_etag(file))
        self._checks.add(task)
        task.add_done_callback(self._checks.discard)

    async def _compare_etag(self, file: CachedFile) -> None:
        try:
            etag = (await self._source.head(file.key)).etag
        except ObjectMissing:
            etag = ""
        except ServiceFailed as error:
            logger.warning("%s could not be compared with the store: %s", file.key, error)
            return
        if etag != file.etag:
            logger.info("%s was replaced in the store", file.key)
            file.mark_replaced()

    def _postpone_check(self, file: CachedFile) -> None:
        """Set when the file is compared next, at random: files opened together differ."""
        seconds = min(self._seconds, IN_MEMORY_SECONDS) if file.is_in_memory else self._seconds
        file.due = self._clock() + seconds * random.uniform(0.9, 1.1)

    def _forget_file(self, file: CachedFile) -> None:
        if self._files.get(file.key) is file:
            del self._files[file.key]

    def close(self) -> None:
        """Stop threads, tasks and close descriptors; no method may be called after."""
        for task in self._checks:
            task.cancel()
        self._source.close()
        self._memory.close()
        if self._disk:
            self._disk.close()


def _file_name(key: str, etag: str, serial: str) -> str:
    """Return a name of hexadecimal digits only: no part of a key reaches the file system.

    The serial tells a replaced file that is still pinned from the same object when it is back, and
    the file of a process that was killed, which iipsrv may have open, from its successor's.
    """
    digest = hashlib.sha256(f"{key}\0{etag}".encode()).hexdigest()
    return f"{digest[:32]}-{serial}.tif"
