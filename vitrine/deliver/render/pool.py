"""A pool of renders: limits how many run, how much memory they take, how many wait how long."""

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

from vitrine.deliver.render.job import RenderJob
from vitrine.deliver.render.shared_load import LaneLoad, SharedLoad
from vitrine.errors import Unavailable

T = TypeVar("T")
LOOK_SECONDS = 0.005
"""Seconds between two looks of a waiting render for room that another process has left."""
SLACK_SECONDS = 0.04 / 6_000_000
"""Seconds per decoded pixel: a render is due when it would have ended without any wait."""


@dataclass(frozen=True, kw_only=True)
class PoolSize:
    """The limits of a pool."""

    renders: int
    """Number of renders at a time."""
    waiting: int
    """Number of renders that may wait; more are rejected."""
    memory_bytes: int
    """Estimated memory of all renders under way; a single one may exceed it."""
    niceness: int = 0
    """Niceness of the threads: 19 yields to everything else."""
    patience_seconds: float = 20.0
    """Longest wait for a turn: after it, a render is rejected as if the pool were full."""


class _RenderWaiter(NamedTuple):
    """A render that waits, ordered by when it is due, then by arrival."""

    due: float
    arrival: int
    memory_bytes: int
    turn: asyncio.Future[None]


class RenderPool:
    """Runs renders in the order in which they are due. Belongs to one event loop.

    A render is due some time after its arrival, in proportion to its work: so small renders do not
    wait for large ones, and yet every render has its turn.
    """

    def __init__(self, name: str, size: PoolSize, load: LaneLoad | None = None) -> None:
        """`load` has the renders of other processes, with which the limits are shared."""
        self._name = name
        self._size = size
        self._admitted = 0
        self.refused = 0
        """Number of renders for which there was no room, or no turn in time."""
        self._running = 0
        self._used = 0
        self._load = load or SharedLoad().load(1).next_lane()
        self._next_look: asyncio.TimerHandle | None = None
        self._waiters: list[_RenderWaiter] = []
        self._arrivals = count()
        self._threads = ThreadPoolExecutor(
            size.renders,
            thread_name_prefix=f"render-{name}",
            initializer=_set_niceness,
            initargs=(size.niceness,),
        )

    @contextmanager
    def admission(self) -> Iterator[None]:
        """Admit one render, which runs or waits until the exit. Raises Unavailable if full."""
        if self._admitted >= self._size.renders + self._size.waiting:
            raise self._busy_error()
        self._admitted += 1
        try:
            yield
        finally:
            self._admitted -= 1

    @asynccontextmanager
    async def turn(self, memory_bytes: int, pixels: float) -> AsyncIterator[None]:
        """Wait for a turn of `pixels` of work, and have it until the exit. Needs admission."""
        await self._begin_render(memory_bytes, pixels)
        try:
            yield
        finally:
            self._end_render(memory_bytes)

    async def run(self, memory_bytes: int, pixels: float, work: Callable[[RenderJob], T]) -> T:
        """Return the result of `work`, which costs `pixels` decoded pixels, done in a thread.

        The caller needs admission. One that is cancelled while it waits leaves the queue at once;
        later, the work is cancelled, and the turn ends when the thread has noticed.
        """
        await self._begin_render(memory_bytes, pixels)
        job = RenderJob()
        try:
            done = asyncio.get_running_loop().run_in_executor(self._threads, work, job)
        except BaseException:
            self._end_render(memory_bytes)
            raise
        done.add_done_callback(lambda future: self._finish_render(future, memory_bytes))
        try:
            return await asyncio.shield(done)
        except asyncio.CancelledError:
            job.cancel()
            raise

    @property
    def running(self) -> int:
        """Number of renders under way."""
        return self._running

    @property
    def waiting(self) -> int:
        """Number of renders that were admitted and do not run yet."""
        return max(0, self._admitted - self._running)

    @property
    def is_idle(self) -> bool:
        """True if nothing renders or waits."""
        return not (self._admitted or self._running or self._waiters or self._used)

    def close(self) -> None:
        """Stop the threads."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _begin_render(self, memory_bytes: int, pixels: float) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time() + pixels * SLACK_SECONDS
        if not self._waiters and self._try_start(memory_bytes, due):
            return
        waiter = _RenderWaiter(due, next(self._arrivals), memory_bytes, loop.create_future())
        heappush(self._waiters, waiter)
        self._say_who_waits()
        try:
            async with asyncio.timeout(self._size.patience_seconds):
                await waiter.turn
        except (asyncio.CancelledError, TimeoutError) as error:
            if not waiter.turn.cancelled():
                self._end_render(memory_bytes)  # the turn was given at the same moment
            elif waiter in self._waiters:
                self._waiters.remove(waiter)
                heapify(self._waiters)
                self._start_waiters()
            if isinstance(error, TimeoutError):
                raise self._busy_error() from None
            raise

    def _busy_error(self) -> Unavailable:
        self.refused += 1
        return Unavailable(f"busy with {self._name} renders: try again")

    def _finish_render(self, future: "asyncio.Future[T]", memory_bytes: int) -> None:
        if not future.cancelled():
            future.exception()  # retrieved, even when no caller waits any more
        self._end_render(memory_bytes)

    def _try_start(self, memory_bytes: int, due: float) -> bool:
        """Count a render as begun, if there is room for it and none waits that is due earlier."""
        self._add_load(1, memory_bytes)
        renders, used = self._load.total()
        fits = renders <= self._size.renders and (renders == 1 or used <= self._size.memory_bytes)
        if fits and self._load.is_first(due):
            return True
        self._add_load(-1, -memory_bytes)
        return False

    def _add_load(self, renders: int, memory_bytes: int) -> None:
        self._running += renders
        self._used += memory_bytes
        self._load.add(renders, memory_bytes)

    def _end_render(self, memory_bytes: int) -> None:
        self._add_load(-1, -memory_bytes)
        self._start_waiters()

    def _start_waiters(self) -> None:
        while self._waiters:
            first = self._waiters[0]
            gone = first.turn.cancelled()
            if not gone and not self._try_start(first.memory_bytes, first.due):
                break
            heappop(self._waiters)
            if not gone:
                first.turn.set_result(None)
        self._say_who_waits()

    def _say_who_waits(self) -> None:
        """Tell the other processes, and look again soon whether they have left room."""
        if not self._load.is_shared:
            return
        self._load.wait(self._waiters[0].due if self._waiters else 0)
        if self._waiters and not self._next_look:
            loop = asyncio.get_running_loop()
            self._next_look = loop.call_later(LOOK_SECONDS, self._look_again)

    def _look_again(self) -> None:
        self._next_look = None
        self._start_waiters()


def _set_niceness(niceness: int) -> None:
    """Set the niceness of the calling thread alone, which Linux allows."""
    if niceness:
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), niceness)
