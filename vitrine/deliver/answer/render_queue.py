"""RenderQueue at large renders: a bounded queue that is fair between viewers.

A page of ten large images requests all of them at once, and a browser never repeats a request that
was refused. So requests wait. Each client has a queue, and the queues take turns: a reading room of
three hundred people behind one address is served as fast as the machine can, and a visitor from
elsewhere waits for one render of theirs, not for three hundred.
"""

import asyncio
import time
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from vitrine.errors import Unavailable

PATIENCE_SECONDS = 25.0
"""Longest wait for a turn. A browser waits for minutes, but an answer has 60 s (`answer_seconds`):
after its turn a render may wait up to 20 s in its pool, and needs 10 s of its own."""
MAX_WAITING = 1024
"""Requests that may wait: a quarter of nginx's connections."""
_FIRST_ESTIMATE_SECONDS = 0.2
_SMOOTHING = 0.2
"""Weight of the latest render in the estimate of how long one takes."""


class RenderQueue:
    """Admits `slots` different pieces of work at a time. Belongs to one event loop."""

    def __init__(
        self,
        slots: int,
        *,
        patience_seconds: float = PATIENCE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._slots = slots
        self._patience = patience_seconds
        self._clock = clock
        self._seconds = _FIRST_ESTIMATE_SECONDS
        self._under_way: Counter[str] = Counter()
        self._waiting: dict[str, list[asyncio.Future[None]]] = {}
        """The requests that wait for each piece of work."""
        self._queues: OrderedDict[str, deque[str]] = OrderedDict()
        """The work that each viewer waits for. What several wait for is in several queues."""

    @asynccontextmanager
    async def turn(self, viewer: str, work: str) -> AsyncIterator[None]:
        """Wait for the viewer's turn and have it until the exit. Raises Unavailable.

        Requests for the same `work`, such as a canonical address, share a slot. What cannot be
        begun in time is refused at once.
        """
        if work in self._under_way or not (self._waiting or self._is_full()):
            self._under_way[work] += 1
        else:
            await self._await_slot(viewer, work)
        began = self._clock()
        try:
            yield
        finally:
            self._seconds += _SMOOTHING * (self._clock() - began - self._seconds)
            self._end_work(work)

    @property
    def waiting(self) -> int:
        """Number of requests that wait."""
        return sum(len(futures) for futures in self._waiting.values())

    def _is_full(self) -> bool:
        return len(self._under_way) >= self._slots

    async def _await_slot(self, viewer: str, work: str) -> None:
        """Wait until the work has a slot, which is then the caller's to end."""
        queue = self._queues.get(viewer, ())
        if self.waiting >= MAX_WAITING or (
            work not in queue and self._estimate_wait(viewer) > self._patience
        ):
            raise _too_many()
        future = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(work, []).append(future)
        if work not in queue:
            self._queues.setdefault(viewer, deque()).append(work)
        try:
            async with asyncio.timeout(self._patience):
                await future
        except (TimeoutError, asyncio.CancelledError) as error:
            if future.done() and not future.cancelled():
                self._end_work(work)  # its turn came at the same moment
            else:
                self._leave_queue(viewer, work, future)
            if isinstance(error, TimeoutError):
                raise _too_many() from None
            raise

    def _estimate_wait(self, viewer: str) -> float:
        """Return the seconds until new work of this viewer would have its turn."""
        own = len(self._queues.get(viewer, ()))
        others = sum(
            min(len(queue), own + 1) for other, queue in self._queues.items() if other != viewer
        )
        return (own + others + 1) * self._seconds / self._slots

    def _leave_queue(self, viewer: str, work: str, future: asyncio.Future[None]) -> None:
        """Take back a request that waits no more."""
        futures = self._waiting.get(work, [])
        if future not in futures:  # the turn came, and passed on to the next
            return
        futures.remove(future)
        if futures:
            return
        del self._waiting[work]
        if viewer in self._queues and work in self._queues[viewer]:
            self._queues[viewer].remove(work)
            if not self._queues[viewer]:
                del self._queues[viewer]

    def _end_work(self, work: str) -> None:
        self._under_way[work] -= 1
        if not self._under_way[work]:
            del self._under_way[work]
        self._admit_waiting()

    def _admit_waiting(self) -> None:
        """Give free slots to the viewers that wait, to each in turn."""
        while self._queues and not self._is_full():
            viewer, queue = self._queues.popitem(last=False)
            work = queue.popleft()
            if queue:
                self._queues[viewer] = queue
            # Another viewer's turn may have been for this work as well.
            for future in self._waiting.pop(work, ()):
                if not future.done():  # its caller has left, and will notice next
                    self._under_way[work] += 1
                    future.set_result(None)


def _too_many() -> Unavailable:
    return Unavailable("too many large images are being made: try again, or ask for a smaller one")
