"""One version of one object: the blocks of it that are on disk."""

import asyncio
import os
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from vitrine.deliver.blocks.disk_watch import DiskFails
from vitrine.deliver.blocks.forgotten import ForgottenBlocks
from vitrine.deliver.blocks.ledger import Blocks
from vitrine.deliver.blocks.read_slots import current_urgency
from vitrine.deliver.blocks.runs import BLOCK_SHIFT, blocks_of, charge, extent, runs
from vitrine.deliver.blocks.source import RangeSource
from vitrine.deliver.blocks.space import NUMBER_SHIFT, Reservation, Space
from vitrine.deliver.blocks.sparse import SparseFile
from vitrine.errors import Replaced, Unavailable

_READS_AT_A_TIME = 8
"""Number of reads of one caller: a large region leaves the other connections to tiles."""


@dataclass(frozen=True, slots=True)
class FileServices:
    """The services that all files of a cache share. `clock` is in seconds."""

    source: RangeSource
    clock: Callable[[], float]
    revalidate: Callable[["CachedFile"], None]
    """Compare the ETag with the store's in the background, and move `due`."""
    on_replaced: Callable[["CachedFile"], None]
    on_disk_failure: Callable[[str], None]
    """Note that the disk cannot be written; the argument says why."""


class CachedFile:
    """One ETag of one object: no caller ever gets bytes of two, or a hole.

    It stays valid when blocks are evicted: `read` fetches them again. All methods belong to the
    cache's event loop.
    """

    def __init__(
        self,
        services: FileServices,
        space: Space,
        number: int,
        key: str,
        etag: str,
        storage: SparseFile,
    ) -> None:
        self.key = key
        self.etag = etag
        self.size = storage.size
        self.replaced = False
        """True if the store holds another ETag: callers must open the object again."""
        self.number = number
        self.storage = storage
        self.stranded = 0
        self.due = float("inf")
        """When the next use has the ETag compared with the store's."""
        self._services = services
        self._space = space
        self._clock = services.clock
        self._touch_file = space.descriptors.touch
        self._base = number << NUMBER_SHIFT
        self._present: dict[int, Blocks] = {}  # the ledger's list of each block on disk
        self._busy: dict[int, asyncio.Task[None]] = {}  # blocks being fetched or removed
        self._writing = 0
        self._pins: Counter[int] = Counter()
        self._kept: set[int] = set()
        self._forgotten = ForgottenBlocks()

    @property
    def path(self) -> Path:
        """The local file: blocks, and holes anywhere else. Valid within `pinned`."""
        return self.storage.path

    @property
    def is_in_memory(self) -> bool:
        """True if the disk could not be written when the object was opened."""
        return self._space.is_memory

    def peek(self, offset: int, length: int) -> bytes | None:
        """Return the bytes if they are all on disk, else None; fewer where the object ends.

        This counts as a use.
        """
        block = offset >> BLOCK_SHIFT
        last = (offset + length - 1) >> BLOCK_SHIFT
        present = self._present
        try:
            present[block].move_to_end(self._base + block)
            while block < last:
                block += 1
                present[block].move_to_end(self._base + block)
        except KeyError:
            return self._peek_at_end(offset, length)
        if self._clock() >= self.due:
            self._services.revalidate(self)
        storage = self.storage
        descriptor = storage.descriptor
        if descriptor >= 0:
            self._touch_file(storage)
            return os.pread(descriptor, length, offset)
        return self._open_and_read(offset, length)

    async def read(self, offset: int, length: int) -> bytes:
        """Return the bytes, fewer where the object ends; fetch those that are missing.

        Raises Replaced when bytes were missing and the store holds another object; Unavailable.
        """
        if (data := self.peek(offset, length)) is not None:
            self._count_read("cache")
        while data is None:
            async with self.pinned([(offset, length)]):
                data = self.peek(offset, length)
        return data

    @asynccontextmanager
    async def pinned(self, ranges: Sequence[tuple[int, int]]) -> AsyncIterator[Path]:
        """Yield the local file; all bytes of the ranges (offset, length) stay in it until the exit.

        Raises Replaced, Unavailable, on entering only.
        """
        blocks = blocks_of(ranges, self.size)
        await self._forgotten.wait(blocks)
        self._count_read("cache" if self._present.keys() >= set(blocks) else "store")
        self._pin_blocks(blocks)
        try:
            try:
                await self._complete_blocks(blocks)
            except Unavailable:
                # Without holes, our own pins keep the rest of this file on disk.
                self._unpin_blocks(blocks)
                was_dropped = self._space.drop_whole(self)
                self._pin_blocks(blocks)
                if not was_dropped:
                    raise
                await self._complete_blocks(blocks)
            yield self.path
        finally:
            self._unpin_blocks(blocks)

    def _count_read(self, found: str) -> None:
        self._services.source.counters.count("block_reads_total", found=found)

    def missing_bytes(self, ranges: Iterable[tuple[int, int]]) -> int:
        """Return how many bytes would be fetched to have these ranges (offset, length)."""
        absent = [block for block in blocks_of(ranges, self.size) if block not in self._present]
        return sum(extent(run, self.size)[1] for run in runs(absent))

    def keep(self, ranges: Iterable[tuple[int, int]]) -> None:
        """Evict these last, now and whenever they come back: directories, small levels."""
        ledger = self._space.ledger
        for block in blocks_of(ranges, self.size):
            self._kept.add(block)
            if self._present.get(block) is ledger.idle:
                ledger.move(self._base + block, ledger.idle, ledger.kept)
                self._present[block] = ledger.kept

    def forget(self, offset: int, length: int) -> None:
        """Have damaged bytes fetched again. Pinned blocks are removed when they are unpinned."""
        self._services.source.counters.count("damaged_reads_total")
        blocks = [b for b in blocks_of([(offset, length)], self.size) if b in self._present]
        self._forgotten.add(block for block in blocks if block in self._pins)
        self._space.remove(self, [block for block in blocks if block not in self._pins])

    async def fetch(self, offset: int, length: int) -> bytes:
        """Return the bytes from the store, past what is on disk. Raises Replaced, Unavailable."""
        async with self._services.source.slots.slot(current_urgency()):
            part = await self._services.source.read(self.key, offset, length, self.etag)
        return part.data

    def mark_replaced(self) -> None:
        """Note that the store holds another object, and remove all blocks that are not pinned."""
        if not self.replaced:
            self.replaced = True
            self._services.on_replaced(self)
            self._space.remove(self, [b for b in self._present if b not in self._pins])

    async def accept(self, run: range, data: bytes, reservation: Reservation) -> None:
        """Write blocks that were fetched. Raises DiskFails, FileNotFoundError."""
        start, _ = extent(run, self.size)
        self._writing += 1
        try:
            await self._space.write(self.storage, start, data)
        finally:
            self._writing -= 1
        for block in run:
            target = self._list_for(block)
            bytes_taken = charge(range(block, block + 1), self.size)
            reservation.left -= bytes_taken
            self._space.ledger.arrive(self._base + block, bytes_taken, target)
            self._present[block] = target
        self._space.own(self)
        if self.replaced:
            self._space.remove(self, [block for block in run if block not in self._pins])

    # The methods of an owner, see blocks/space.py

    @property
    def is_empty(self) -> bool:
        return not self._present and not self._busy

    def movable(self) -> list[int] | None:
        pinned = any(block in self._present for block in self._pins)
        return None if pinned or self._writing else list(self._present)

    def give_up(self, blocks: Iterable[int]) -> int:
        leave, present = self._space.ledger.leave, self._present
        return sum(leave(self._base + block, present.pop(block)) for block in blocks)

    def wait_for(self, blocks: Iterable[int], task: asyncio.Task[None]) -> None:
        for block in blocks:
            self._busy[block] = task
        task.add_done_callback(lambda _: self._end_task(task))

    # Fetching

    async def _complete_blocks(self, blocks: list[int]) -> None:
        """Fetch until all the blocks are on disk. They must be pinned."""
        while missing := [block for block in blocks if block not in self._present]:
            if self.replaced:
                raise Replaced(self.key)
            tasks = {self._busy[block] for block in missing if block in self._busy}
            self._services.source.slots.promote(tasks, current_urgency())
            absent = [block for block in missing if block not in self._busy]
            for run in islice(runs(absent), max(0, _READS_AT_A_TIME - len(tasks))):
                task = asyncio.get_running_loop().create_task(self._fetch_run(run))
                self.wait_for(run, task)
                tasks.add(task)
            # wait() leaves the tasks alone when the caller is cancelled.
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()

    async def _fetch_run(self, run: range) -> None:
        start, length = extent(run, self.size)
        source = self._services.source
        try:
            room = self._space.reserved(charge(run, self.size))
            async with source.slots.slot(current_urgency()), room as reservation:
                part = await source.read(self.key, start, length, self.etag)
                await self.accept(run, part.data, reservation)
        except Replaced:
            self.mark_replaced()
            raise
        except DiskFails as error:
            # The next to open the object gets one in memory.
            self._services.on_disk_failure(str(error))
            self.mark_replaced()
            raise Replaced(self.key) from error
        except FileNotFoundError:
            self._drop_lost_blocks()  # callers see that the blocks are missing, and fetch again

    def _end_task(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled():
            task.exception()  # retrieved, even when no caller waits any more
        for block in [block for block, other in self._busy.items() if other is task]:
            del self._busy[block]
        self._space.settle(self)

    def _pin_blocks(self, blocks: Iterable[int]) -> None:
        ledger = self._space.ledger
        for block in blocks:
            self._pins[block] += 1
            source = self._present.get(block, ledger.pinned)
            if source is not ledger.pinned:
                ledger.move(self._base + block, source, ledger.pinned)
                self._present[block] = ledger.pinned

    def _unpin_blocks(self, blocks: Sequence[int]) -> None:
        ledger = self._space.ledger
        self._pins.subtract(blocks)
        free = [block for block in blocks if not self._pins[block]]
        for block in free:
            del self._pins[block]
        here = [block for block in free if block in self._present]
        for block in here:
            self._present[block] = target = self._list_for(block)
            ledger.move(self._base + block, ledger.pinned, target)
        self._space.remove(self, [b for b in here if self.replaced or b in self._forgotten])
        self._forgotten.discard(free)

    def _list_for(self, block: int) -> Blocks:
        ledger = self._space.ledger
        if block in self._pins:
            return ledger.pinned
        return ledger.kept if block in self._kept else ledger.idle

    def _peek_at_end(self, offset: int, length: int) -> bytes | None:
        if offset < 0:
            raise ValueError(f"the offset {offset} is negative")
        inside = min(length, self.size - offset)
        if length <= 0 or inside <= 0:
            return b""
        return self.peek(offset, inside) if inside < length else None

    def _open_and_read(self, offset: int, length: int) -> bytes | None:
        try:
            return os.pread(self._space.descriptors.open(self.storage), length, offset)
        except FileNotFoundError:
            self._drop_lost_blocks()
            return None

    def _drop_lost_blocks(self) -> None:
        self._space.drop_lost(self, list(self._present))
