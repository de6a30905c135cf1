"""The disk of the cache: room is made before bytes arrive, and files go when they are empty."""

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

from vitrine.deliver.blocks.ledger import Ledger
from vitrine.deliver.blocks.runs import extent, runs
from vitrine.deliver.blocks.sparse import Descriptors, SparseFile, punches_holes
from vitrine.errors import Unavailable

NUMBER_SHIFT = 32
"""A block's identifier in the ledger: its file's number above this bit, its own below."""

_DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
_THREADS = 4
_TRIES = 8
"""To write to a full disk, with something evicted between."""
_MOST_DESCRIPTORS = 512
_BLOCK_MASK = (1 << NUMBER_SHIFT) - 1

logger = logging.getLogger(__name__)


class Owner(Protocol):
    """The file that blocks belong to, as the space sees it."""

    number: int
    storage: SparseFile
    stranded: int
    """Bytes of given-up blocks that stay on disk till the file goes: where there are no holes."""

    def movable(self) -> list[int] | None:
        """All its blocks, None while one is in use or written: for disks without holes."""
        ...

    def give_up(self, blocks: Iterable[int]) -> int:
        """Strike the blocks off the file and its ledger; the bytes that are leaving."""
        ...

    def wait_for(self, blocks: Iterable[int], task: "asyncio.Task[None]") -> None:
        """Nothing is written to these blocks before `task` has ended."""
        ...

    @property
    def is_empty(self) -> bool:
        """No block of it is on disk, on its way there, or away."""
        ...


@dataclass(slots=True)
class Reservation:
    """Bytes of disk nobody else gets."""

    left: int


class Space:
    """`budget` bytes of `directory`, which it owns alone; belongs to one event loop.

    The sum of what the files take (`st_blocks`) never exceeds the budget: who reserves waits
    until what had to go for it is gone. Least recently used blocks go first, heads of files
    last. Where the file system punches no holes, whole files go.
    """

    def __init__(self, directory: Path, budget: int) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        for path in (*directory.glob("*.tif"), *directory.glob("*.part")):
            path.unlink()
        self.ledger = Ledger(budget)
        most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.descriptors = Descriptors(max(16, min(_MOST_DESCRIPTORS, most // 8)))
        # Each owner has at least one block here: this reference keeps the file alive.
        self._owners: dict[int, Owner] = {}
        self._holes = punches_holes(directory)
        self._removals: set[asyncio.Task[None]] = set()
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="disk")
        if not self._holes:
            logger.warning("%s: no holes can be punched; whole files are evicted", directory)

    @asynccontextmanager
    async def reserved(self, wanted: int) -> AsyncIterator[Reservation]:
        """Room for `wanted` bytes; what is not spent in the block is given back.

        Raises Unavailable when everything here is in use.
        """
        missing = self.ledger.missing_room(wanted)
        if self.ledger.held + wanted > self.ledger.budget or self._evict(missing) < missing:
            raise Unavailable("the local cache is full of images in use")
        self.ledger.reserve(wanted)
        reservation = Reservation(wanted)
        try:
            if self.ledger.used > self.ledger.budget:
                await self._gone()
            yield reservation
        finally:
            self.ledger.release(reservation.left)

    async def write(self, file: SparseFile, start: int, data: bytes) -> None:
        """Write reserved bytes; when the disk is full of something else, evict and try again.

        Raises Unavailable; FileNotFoundError when somebody has removed the file.
        """
        try:
            await self._write_or_relieve(file, start, data)
        except FileNotFoundError:
            raise
        except OSError as error:
            with suppress(OSError):  # what was written of it before the error
                await self._in_thread(partial(file.punch, [(start, len(data))]))
            logger.error("%s: %s", file.path, error)
            full = error.errno in _DISK_FULL
            raise Unavailable(
                "the local disk is full" if full else "the local disk fails"
            ) from error

    async def _write_or_relieve(self, file: SparseFile, start: int, data: bytes) -> None:
        """Others write meanwhile, too, and may take what was evicted for us."""
        for tries_left in reversed(range(_TRIES)):
            try:
                file.create()
                await self._in_thread(partial(file.write, start, data))
                return
            except OSError as error:
                full = error.errno in _DISK_FULL
                if not (full and tries_left and self._evict(len(data))):
                    raise
                logger.warning("%s: %s; trying again with less", file.path, error)
            await self._gone()

    def own(self, owner: Owner) -> None:
        """Blocks of `owner` are on disk: it is kept alive until none is left."""
        self._owners[owner.number] = owner

    def remove(self, owner: Owner, blocks: list[int]) -> None:
        """Take blocks off the disk that nobody uses."""
        if not blocks:
            return
        charge = owner.give_up(blocks)
        if owner.is_empty:
            self._unlink(owner, charge)
            return
        if not self._holes:
            owner.stranded += self.ledger.strand(charge)
            return
        size = owner.storage.size
        ranges = [extent(run, size) for run in runs(sorted(blocks))]
        owner.wait_for(blocks, self._start(partial(owner.storage.punch, ranges), charge, owner))

    def drop_whole(self, owner: Owner) -> bool:
        """Remove the whole file where single blocks cannot be; whether that was done."""
        blocks = None if self._holes else owner.movable()
        if not blocks:
            return False
        self._unlink(owner, owner.give_up(blocks))
        return True

    def settle(self, owner: Owner) -> None:
        """Remove the file when nothing of it is left."""
        if owner.is_empty and owner.storage.exists:
            self._unlink(owner, 0)

    def lost(self, owner: Owner, blocks: list[int]) -> None:
        """Somebody has removed the file: its blocks are gone already."""
        self.ledger.gone(owner.give_up(blocks) + self._no_longer_stranded(owner))
        self.descriptors.close(owner.storage)
        owner.storage.exists = False
        self._owners.pop(owner.number, None)

    def _evict(self, wanted: int) -> int:
        """Begin to remove what was not used for longest, at least `wanted` bytes if there are."""
        freed = 0
        victims: defaultdict[int, list[int]] = defaultdict(list)
        for block, charge in self.ledger.evictable():
            if freed >= wanted:
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
            else:  # blocks on their way will make the file anew
                self._unlink(owner, owner.give_up(blocks))
        return freed

    def _unlink(self, owner: Owner, charge: int) -> None:
        self.descriptors.close(owner.storage)
        self._owners.pop(owner.number, None)
        charge += self._no_longer_stranded(owner)
        descriptor = owner.storage.unlink()
        if descriptor is None:
            self.ledger.gone(charge)
        else:
            self._start(partial(os.close, descriptor), charge, owner)

    def _no_longer_stranded(self, owner: Owner) -> int:
        charge, owner.stranded = owner.stranded, 0
        self.ledger.leaving += charge
        return charge

    def _start(self, work: Callable[[], None], charge: int, owner: Owner) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(self._remove(work, charge))
        self._removals.add(task)
        task.add_done_callback(self._removals.discard)
        task.add_done_callback(lambda _: self.settle(owner))
        return task

    async def _remove(self, work: Callable[[], None], charge: int) -> None:
        try:
            await self._in_thread(work)
        except OSError as error:  # a file that is gone takes no space either
            logger.error("a block could not be removed: %s", error)
        finally:
            self.ledger.gone(charge)

    async def _gone(self) -> None:
        if self._removals:
            await asyncio.wait(set(self._removals))

    async def _in_thread(self, work: Callable[[], None]) -> None:
        await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def close(self) -> None:
        """Let go of threads and descriptors."""
        for task in self._removals:
            task.cancel()
        self._threads.shutdown(wait=False, cancel_futures=True)
        self.descriptors.close_all()
