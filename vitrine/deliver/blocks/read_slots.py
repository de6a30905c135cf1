"""Slots for reads of the store, in the order of what waits for them: tiles, small, large renders.

Three renders of whole images that nobody opened before would take all connections at once, with
4 MiB each. They must not hold up the first tile of another image, which is 128 KiB.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from enum import IntEnum
from heapq import heapify, heappop, heappush
from itertools import count


class Urgency(IntEnum):
    """What a read is for: the least comes first."""

    TILE = 0
    SMALL = 1
    LARGE = 2


LARGE_SHARE = 2 / 3
"""Part of the slots that large renders may have at a time: the others are for what is quick."""

_urgency: ContextVar[Urgency] = ContextVar("urgency", default=Urgency.TILE)


@contextmanager
def reading_for(urgency: Urgency) -> Iterator[None]:
    """Have all reads that begin in here, and in tasks made in here, be for this."""
    token = _urgency.set(urgency)
    try:
        yield
    finally:
        _urgency.reset(token)


def current_urgency() -> Urgency:
    """Return what the reads of this context are for."""
    return _urgency.get()


class _SlotWaiter:
    __slots__ = ("arrival", "turn", "urgency")

    def __init__(self, urgency: Urgency, arrival: int, turn: asyncio.Future[None]) -> None:
        self.urgency = urgency
        self.arrival = arrival
        self.turn = turn

    def __lt__(self, other: "_SlotWaiter") -> bool:
        return (self.urgency, self.arrival) < (other.urgency, other.arrival)


class ReadSlots:
    """`slots` reads at a time, of them some for large renders. Belongs to one event loop."""

    def __init__(self, slots: int) -> None:
        self._free = slots
        self._free_for_large = max(1, round(slots * LARGE_SHARE))
        self._waiting: list[_SlotWaiter] = []
        self._by_task: dict[asyncio.Task[object], _SlotWaiter] = {}
        self._arrivals = count()

    @asynccontextmanager
    async def slot(self, urgency: Urgency) -> AsyncIterator[None]:
        """Wait for a slot, and hold it until the exit."""
        taken_as = await self._take_slot(urgency)
        try:
            yield
        finally:
            self._give_back(taken_as)

    def promote(self, tasks: Iterable["asyncio.Task[None]"], urgency: Urgency) -> None:
        """Have those of the tasks that wait for a slot wait as for this, if it is more urgent."""
        waiters = [self._by_task[task] for task in tasks if task in self._by_task]
        behind = [one for one in waiters if urgency < one.urgency and not one.turn.done()]
        for waiter in behind:
            waiter.urgency = urgency
        if behind:
            heapify(self._waiting)
            self._start_waiters()

    async def _take_slot(self, urgency: Urgency) -> Urgency:
        """Return the urgency as which the slot was given."""
        waiter = _SlotWaiter(
            urgency, next(self._arrivals), asyncio.get_running_loop().create_future()
        )
        heappush(self._waiting, waiter)
        self._start_waiters()
        if waiter.turn.done():
            return waiter.urgency
        task = asyncio.current_task()
        assert task
        self._by_task[task] = waiter
        try:
            await waiter.turn
        except asyncio.CancelledError:
            if waiter.turn.done() and not waiter.turn.cancelled():
                self._give_back(waiter.urgency)  # its turn came at the same moment
            elif waiter in self._waiting:
                self._waiting.remove(waiter)
                heapify(self._waiting)
            raise
        finally:
            del self._by_task[task]
        return waiter.urgency

    def _give_back(self, urgency: Urgency) -> None:
        self._free += 1
        self._free_for_large += urgency is Urgency.LARGE
        self._start_waiters()

    def _start_waiters(self) -> None:
        while self._waiting and self._free:
            first = self._waiting[0]
            if first.urgency is Urgency.LARGE and not self._free_for_large:
                return  # nothing more urgent waits
            heappop(self._waiting)
            if first.turn.done():  # cancelled
                continue
            self._free -= 1
            self._free_for_large -= first.urgency is Urgency.LARGE
            first.turn.set_result(None)
