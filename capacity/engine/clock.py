"""Simulated time: whole nanoseconds, equal times in the order they were scheduled."""

from collections.abc import Callable
from heapq import heappop, heappush
from math import inf
from typing import Any

import simpy
from simpy.events import NORMAL

SECOND = 1_000_000_000
MILLISECOND = 1_000_000
_EVENT = 4
"""Length of SimPy's own entries."""


def to_nanoseconds(seconds: float) -> int:
    """Seconds as whole nanoseconds; never negative, since delays drawn at random may be."""
    return max(0, round(seconds * SECOND))


class Clock(simpy.Environment):
    """SimPy's environment on an integer clock, with plain calls next to processes.

    `now` is in nanoseconds. Processes yield `timeout(nanoseconds)` or an `event()`.
    """

    _queue: list[tuple[Any, ...]]
    """Entries: a time, its rank among equal times, its number; then an event, or an action and its
    subject: most of what happens is one call, which is less than an event."""

    now: int = 0
    """Nanoseconds since the start. SimPy's is a property, but it is read more than all else."""

    def __init__(self) -> None:
        super().__init__(initial_time=0)

    def after(self, delay: int, action: Callable[[Any], object], subject: Any = None) -> None:
        """Call `action(subject)`, `delay` nanoseconds from now."""
        heappush(self._queue, (self.now + delay, NORMAL, next(self._eid), action, subject))

    def run(self, until: int | None = None) -> None:  # type: ignore[override]
        """Until nothing is left to happen, or up to what happens at `until` (nanoseconds)."""
        queue, end = self._queue, inf if until is None else until
        while queue:
            entry = queue[0]
            if entry[0] >= end:
                break
            self.now = self._now = entry[0]
            if len(entry) == _EVENT:
                self.step()
            else:
                heappop(queue)
                entry[3](entry[4])
        if until is not None:
            self.now = self._now = until
