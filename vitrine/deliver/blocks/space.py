"""The disk of the cache: room is made before bytes arrive, and empty files are removed."""

import asyncio
import errno
import logging
import os
import resource
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from vitrine.deliver.blocks.disk_watch import DiskFails
from vitrine.deliver.blocks.ledger import BlockLedger
from vitrine.deliver.blocks.memory_file import MemoryFile
from vitrine.deliver.blocks.runs import extent, runs
from vitrine.deliver.blocks.sparse import Descriptors, SparseFile, punches_holes
from vitrine.errors import Unavailable

NUMBER_SHIFT = 32
"""A block's identifier in the ledger: its file's number above this bit, its own below."""

_DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
_THREADS = 4
_TRIES = 8
"""Number of attempts to write to a full disk, with blocks evicted in between."""
_MAX_DESCRIPTORS = 512
_BLOCK_MASK = (1 << NUMBER_SHIFT) - 1

logger = logging.getLogger(__name__)


class Owner(Protocol):
    """The file that blocks belong to, as the space uses it."""

    number: int
    storage: SparseFile
    stranded: int
    """Bytes of removed blocks that stay on disk as long as the file: on disks without holes."""

    def movable(self) -> list[int] | None:
        """Return all its blocks, or None while one is in use or written (disks without holes)."""
        ...

    def give_up(self, blocks: Iterable[int]) -> int:
        """Take the blocks off the file and the ledger, and return the bytes that are leaving."""
        ...

    def wait_for(self, blocks: Iterable[int], task: "asyncio.Task[None]") -> None:
        """Write nothing to these blocks before `task` has ended."""
        ...

    @property
    def is_empty(self) -> bool:
        """True if no block of it is on disk, being fetched or being removed."""
        ...


@dataclass(slots=True)
class Reservation:
    """Bytes of disk that belong to one read."""

    left: int


class Space:
    """`budget` bytes of `directory`, which it owns alone; belongs to one event loop.

    The files together (`st_blocks`) never exceed the budget: a reservation waits until the blocks
    evicted for it are off the disk. Least recently used blocks are evicted first, heads of files
    last. Where the file system punches no holes, whole files are evicted.
    """

    def __init__(self, directory: Path | None, budget: int) -> None:
        """Empty the directory; None keeps the files in memory. Raises OSError."""
        if directory:
            directory.mkdir(parents=True, exist_ok=True)
            for path in (*directory.glob("*.tif"), *directory.glob("*.part")):
                path.unlink()
        self._directory = directory
        self.ledger = BlockLedger(budget)
        most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.descriptors = Descriptors(max(16, min(_MAX_DESCRIPTORS, most // 8)))
        # Each owner has at least one block here: this reference keeps the file alive.
        self._owners: dict[int, Owner] = {}
        self._holes = directory is None or punches_holes(directory)
        self._removals: set[asyncio.Task[None]] = set()
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="disk")
        if not self._holes:
            logger.warning(
                "The file system of %s punches no holes: the cache evicts whole files.", directory
            )

    def make_file(self, name: str, size: int) -> SparseFile:
        """Return a file of this name and size, which does not exist yet."""
        if self._directory is None:
            return MemoryFile(Path(name), size)
        return SparseFile(self._directory / name, size)

    @property
    def is_memory(self) -> bool:
        """True if the files are in memory."""
        return self._directory is None

    @asynccontextmanager
    async def reserved(self, requested: int) -> AsyncIterator[Reservation]:
        """Reserve room for `requested` bytes; those not spent at the exit are given back.

        Raises Unavailable when everything on disk is in use.
        """
        missing = self.ledger.missing_room(requested)
        if (
            self.ledger.held + requested > self.ledger.budget
            or self._evict_blocks(missing) < missing
        ):
            raise Unavailable("the local cache is full of images in use")
        self.ledger.reserve(requested)
        reservation = Reservation(requested)
        try:
            if self.ledger.used > self.ledger.budget:
                await self._await_removals()
            yield reservation
        finally:
            self.ledger.release(reservation.left)

    async def write(self, file: SparseFile, start: int, data: bytes) -> None:
        """Write reserved bytes; when the disk is full of other files, evict and try again.

        Raises DiskFails; FileNotFoundError when the file was removed from outside.
        """
        try:
            await self._write_or_relieve(file, start, data)
        except FileNotFoundError:
            raise
        except OSError as error:
            with suppress(OSError):  # remove what was written before the error
                await self._in_thread(partial(file.punch, [(start, len(data))]))
            logger.error("%s: %s", file.path, error)
            raise DiskFails(os.strerror(error.errno or errno.EIO)) from error

    async def _write_or_relieve(self, file: SparseFile, start: int, data: bytes) -> None:
        """Write, evicting blocks while the disk is full; other writes may take their room."""
        for tries_left in reversed(range(_TRIES)):
            try:
                file.create()
                await self._in_thread(partial(file.write, start, data))
                return
            except OSError as error:
                full = error.errno in _DISK_FULL
                if not (full and tries_left and self._evict_blocks(len(data))):
                    raise
                logger.warning("%s: %s; evicted blocks, writing again", file.path, error)
            await self._await_removals()

    def own(self, owner: Owner) -> None:
        """Keep `owner` alive as long as blocks of it are on disk."""
        self._owners[owner.number] = owner

    def remove(self, owner: Owner, blocks: list[int]) -> None:
        """Take unused blocks off the disk."""
        if not blocks:
            return
        charge = owner.give_up(blocks)
        if owner.is_empty:
            self._unlink_owner(owner, charge)
            return
        if not self._holes:
            owner.stranded += self.ledger.strand(charge)
            return
        size = owner.storage.size
        ranges = [extent(run, size) for run in runs(sorted(blocks))]
        owner.wait_for(
            blocks, self._start_removal(partial(owner.storage.punch, ranges), charge, owner)
        )

    def drop_whole(self, owner: Owner) -> bool:
        """Remove the whole file if single blocks cannot be; return True if it was removed."""
        blocks = None if self._holes else owner.movable()
        if not blocks:
            return False
        self._unlink_owner(owner, owner.give_up(blocks))
        return True

    def settle(self, owner: Owner) -> None:
        """Remove the file when no block of it is left."""
        if owner.is_empty and owner.storage.exists:
            self._unlink_owner(owner, 0)

    def drop_lost(self, owner: Owner, blocks: list[int]) -> None:
        """Forget the blocks of a file that was removed from outside."""
        self.ledger.end_removal(owner.give_up(blocks) + self._release_stranded(owner))
        self.descriptors.close(owner.storage)
        owner.storage.exists = False
        self._owners.pop(owner.number, None)

    def _evict_blocks(self, target: int) -> int:
        """Begin to remove the least recently used blocks, at least `target` bytes if possible.

        Returns the bytes that will be free.
        """
        freed = 0
        victims: defaultdict[int, list[int]] = defaultdict(list)
        for block, charge in self.ledger.evictable():
            if freed >= target:
                break
            number = block >> NUMBER_SHIFT
            if self._holes:
                victims[number].append(block & _BLOCK_MASK)
                freed += charge
            elif number not in victims and (blocks := self._owners[number].movable()):
                victims[number] = blocks
                base = number << NUMBER_SHIFT
                freed += sum(self.ledger.charge_of(base + block) for block in blocks)
        for number, blocks in victims.items():
            owner = self._owners[number]
            if self._holes:
                self.remove(owner, blocks)
            else:  # blocks that are being fetched create the file again
                self._unlink_owner(owner, owner.give_up(blocks))
        return freed

    def _unlink_owner(self, owner: Owner, charge: int) -> None:
        self.descriptors.close(owner.storage)
        self._owners.pop(owner.number, None)
        charge += self._release_stranded(owner)
        try:
            descriptor = owner.storage.unlink()
        except OSError as error:  # the disk became read-only
            logger.error("%s could not be removed from the cache: %s", owner.storage.path, error)
            descriptor = None
        if descriptor is None:
            self.ledger.end_removal(charge)
        else:
            self._start_removal(partial(os.close, descriptor), charge, owner)

    def _release_stranded(self, owner: Owner) -> int:
        charge, owner.stranded = owner.stranded, 0
        self.ledger.leaving += charge
        return charge

    def _start_removal(
        self, work: Callable[[], None], charge: int, owner: Owner
    ) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(self._remove_work(work, charge))
        self._removals.add(task)
        task.add_done_callback(self._removals.discard)
        task.add_done_callback(lambda _: self.settle(owner))
        return task

    async def _remove_work(self, work: Callable[[], None], charge: int) -> None:
        try:
            await self._in_thread(work)
        except OSError as error:  # a file that is missing takes no space either
            logger.error("A block could not be removed from the cache: %s", error)
        finally:
            self.ledger.end_removal(charge)

    async def _await_removals(self) -> None:
        if self._removals:
            await asyncio.wait(set(self._removals))

    async def _in_thread(self, work: Callable[[], None]) -> None:
        await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def close(self) -> None:
        """Stop the threads and close all descriptors."""
        for task in self._removals:
            task.cancel()
        self._threads.shutdown(wait=False, cancel_futures=True)
        self.descriptors.close_all()
