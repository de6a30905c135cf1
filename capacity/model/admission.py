"""A pool of renders: it limits how many run, and how long others wait."""

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any

from capacity.engine.clock import Clock, to_nanoseconds

PATIENCE_SECONDS = 20.0
"""Seconds after which a request that waits for a turn is refused; as `vitrine.deliver.render.pool`.
"""
SLACK_SECONDS = 0.04 / 6
"""Per megapixel of work, until a render is due; from the same module."""

_Start = Callable[[Any], object]


class _AdmissionWaiter:
    """Somebody who waits for a turn, and may have gone."""

    __slots__ = ("start", "subject", "waits")

    def __init__(self, start: _Start, subject: Any) -> None:
        self.start, self.subject, self.waits = start, subject, True


class RenderAdmission:
    """`places` at once, those first that are due first; `waiting` more may wait."""

    def __init__(self, clock: Clock, places: int, waiting: int) -> None:
        self._clock, self._free = clock, places
        self._most = places + waiting
        self._patience = to_nanoseconds(PATIENCE_SECONDS)
        self._waiters: list[tuple[int, int, _AdmissionWaiter]] = []
        self._arrivals = 0
        self.admitted = 0
        """Under way, on their way to a turn, and waiting for one."""

    def admit(self) -> bool:
        """Return whether there is room for one more render, which is then expected to `enter`."""
        if self.admitted >= self._most:
            return False
        self.admitted += 1
        return True

    def enter(self, work: float, start: _Start, refuse: _Start, subject: Any) -> None:
        """Call `start` at its turn, or `refuse` when that does not come in time.

        `work` in megapixels: a render is due some time after it came, in proportion to it.
        """
        if self._free:
            self._free -= 1
            start(subject)
            return
        waiter = _AdmissionWaiter(start, subject)
        self._arrivals += 1
        due = self._clock.now + to_nanoseconds(work * SLACK_SECONDS)
        heappush(self._waiters, (due, self._arrivals, waiter))
        self._clock.after(self._patience, self._lose_patience, (waiter, refuse))

    def leave(self) -> None:
        """Give the turn back; who is due first takes it."""
        self.admitted -= 1
        while self._waiters:
            waiter = heappop(self._waiters)[2]
            if waiter.waits:
                waiter.waits = False
                waiter.start(waiter.subject)
                return
        self._free += 1

    def _lose_patience(self, waiting: tuple[_AdmissionWaiter, _Start]) -> None:
        waiter, refuse = waiting
        if waiter.waits:
            waiter.waits = False
            self.admitted -= 1
            refuse(waiter.subject)
