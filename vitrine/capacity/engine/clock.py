"""Simulated time: whole nanoseconds, equal times in the order they were scheduled."""

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any

import simpy
from simpy.events import NORMAL

SECOND = 1_000_000_000
MILLISECOND = 1_000_000


def nanoseconds(seconds: float) -> int:
    """Seconds as whole nanoseconds; never negative, since delays drawn at random may be."""
    return max(0, round(seconds * SECOND))


class _Call:
    """What calls one function when its time comes: most of what happens, so less than an event."""

    __slots__ = ("action", "value")

    def __init__(self, action: Callable[[Any], object], value: Any) -> None:
        self.action, self.value = action, value


class Clock(simpy.Environment):
    """SimPy's environment on an integer clock, with plain calls beside processes.

    `now` is in nanoseconds. Processes yield `timeout(nanoseconds)` or an `event()`.
    """

    _queue: list[tuple[int, int, int, Any]]  # type: ignore[assignment]

    now: int = 0
    """Nanoseconds since the start. SimPy's is a property, but it is read more than all else."""

    def __init__(self) -> None:
        super().__init__(initial_time=0)

    def after(self, delay: int, action: Callable[[Any], object], subject: Any = None) -> None:
        """Call `action` with an event whose `value` is `subject`, `delay` nanoseconds from now."""
        entry = (self.now + delay, NORMAL, next(self._eid), _Call(action, subject))
        heappush(self._queue, entry)

    def run(self, until: int | None = None) -> None:  # type: ignore[override]
        """Until nothing is left to happen, or up to what happens at `until` (nanoseconds)."""
        queue = self._queue
        while queue and (until is None or queue[0][0] < until):
            self.now, _, _, event = queue[0]
            self._now = self.now
            if event.__class__ is _Call:
                heappop(queue)
                event.action(event)
            else:
                self.step()
        if until is not None:
            self.now = self._now = until
