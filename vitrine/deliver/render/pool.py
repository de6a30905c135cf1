"""A pool of renders with admission: so many at once, so much memory, so many that wait so long."""

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import count
from typing import NamedTuple, TypeVar

from vitrine.deliver.render.job import Job
from vitrine.errors import Unavailable

T = TypeVar("T")
SLACK_SECONDS = 0.04 / 6_000_000
"""Per decoded pixel of work: a render is due when it would be done had it begun at once."""


@dataclass(frozen=True, kw_only=True)
class PoolSize:
    """What a pool may use."""

    renders: int
    """At once."""
    waiting: int
    """More than these are refused."""
    memory_bytes: int
    """Of all renders under way, as estimated; one alone may exceed it."""
    niceness: int = 0
    """Of its threads: 19 yields to everything else."""
    patience_seconds: float = 20.0
    """Who has waited so long for a turn is refused, as those are for whom there is no place."""


class _Waiter(NamedTuple):
    """Compared by when it is due, then by its arrival."""

    due: float
    arrival: int
    memory_bytes: int
    turn: asyncio.Future[None]


class Pool:
    """Runs renders, those first that are due first. Belongs to one event loop.

    A render is due some time after it came, in proportion to its work: so little work does not wait
    for much, and yet everybody's turn comes.
    """

    def __init__(self, name: str, size: PoolSize) -> None:
        self._name = name
        self._size = size
        self._admitted = 0
        self._running = 0
        self._used = 0
        self._waiters: list[_Waiter] = []
        self._arrivals = count()
        self._threads = ThreadPoolExecutor(
            size.renders,
            thread_name_prefix=f"render-{name}",
            initializer=_be_nice,
            initargs=(size.niceness,),
        )

    @contextmanager
    def admission(self) -> Iterator[None]:
        """A place among those that render or wait, until the exit. Raises Unavailable."""
        if self._admitted >= self._size.renders + self._size.waiting:
            raise self._busy()
        self._admitted += 1
        try:
            yield
        finally:
            self._admitted -= 1

    @asynccontextmanager
    async def turn(self, memory_bytes: int, pixels: float) -> AsyncIterator[None]:
        """Wait for a turn of so much work, and have it until the exit. For who was admitted."""
        await self._begin(memory_bytes, pixels)
        try:
            yield
        finally:
            self._end(memory_bytes)

    async def run(self, memory_bytes: int, pixels: float, work: Callable[[Job], T]) -> T:
        """The result of `work`, which costs so many decoded pixels, done in a thread. For who was
        admitted.

        A caller that goes away while it waits leaves the queue at once; one that goes away
        later has the work cancelled, and the turn ends when the thread has noticed.
        """
        await self._begin(memory_bytes, pixels)
        job = Job()
        try:
            done = asyncio.get_running_loop().run_in_executor(self._threads, work, job)
        except BaseException:
            self._end(memory_bytes)
            raise
        done.add_done_callback(lambda future: self._finish(future, memory_bytes))
        try:
            return await asyncio.shield(done)
        except asyncio.CancelledError:
            job.cancel()
            raise

    @property
    def is_idle(self) -> bool:
        """Whether nothing renders or waits."""
        return not (self._admitted or self._running or self._waiters or self._used)

    def close(self) -> None:
        """Let go of the threads."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _begin(self, memory_bytes: int, pixels: float) -> None:
        if not self._waiters and self._fits(memory_bytes):
            self._start(memory_bytes)
            return
        loop = asyncio.get_running_loop()
        due = loop.time() + pixels * SLACK_SECONDS
        waiter = _Waiter(due, next(self._arrivals), memory_bytes, loop.create_future())
        heappush(self._waiters, waiter)
        try:
            async with asyncio.timeout(self._size.patience_seconds):
                await waiter.turn
        except (asyncio.CancelledError, TimeoutError) as error:
            if not waiter.turn.cancelled():
                self._end(memory_bytes)  # it had come in the same moment
            elif waiter in self._waiters:
                self._waiters.remove(waiter)
                heapify(self._waiters)
                self._next()
            if isinstance(error, TimeoutError):
                raise self._busy() from None
            raise

    def _busy(self) -> Unavailable:
        return Unavailable(f"busy with {self._name} renders: try again")

    def _finish(self, future: "asyncio.Future[T]", memory_bytes: int) -> None:
        if not future.cancelled():
            future.exception()  # seen, even when nobody waits any more
        self._end(memory_bytes)

    def _fits(self, memory_bytes: int) -> bool:
        if self._running >= self._size.renders:
            return False
        return not self._running or self._used + memory_bytes <= self._size.memory_bytes

    def _start(self, memory_bytes: int) -> None:
        self._running += 1
        self._used += memory_bytes

    def _end(self, memory_bytes: int) -> None:
        self._running -= 1
        self._used -= memory_bytes
        self._next()

    def _next(self) -> None:
        while self._waiters and self._fits(self._waiters[0].memory_bytes):
            waiter = heappop(self._waiters)
            if waiter.turn.cancelled():
                continue
            self._start(waiter.memory_bytes)
            waiter.turn.set_result(None)


def _be_nice(niceness: int) -> None:
    """Of the calling thread alone, which Linux allows."""
    if niceness:
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), niceness)
