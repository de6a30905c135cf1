"""A pool of renders that lets in so many, and has no endless patience."""

from collections import deque
from collections.abc import Callable
from typing import Any

from vitrine.capacity.engine.clock import Clock, nanoseconds

PATIENCE_SECONDS = 20.0
"""Who waited so long for a turn is refused; as `vitrine.deliver.render.pool`."""


class Admission:
    """`places` at once, first come first served; `waiting` more may wait.

    The gateway's own pool takes first who is due first: little work waits less there than here.
    """

    def __init__(self, clock: Clock, places: int, waiting: int) -> None:
        self._clock, self._free = clock, places
        self._most = places + waiting
        self._patience = nanoseconds(PATIENCE_SECONDS)
        self._waiters: deque[tuple[Callable[[Any], object], Any]] = deque()
        self.admitted = 0
        """Under way, on their way to a turn, and waiting for one."""

    def admit(self) -> bool:
        """Whether there is room for one more, who is then expected to `enter`."""
        if self.admitted >= self._most:
            return False
        self.admitted += 1
        return True

    def enter(
        self, start: Callable[[Any], object], refuse: Callable[[Any], object], subject: Any
    ) -> None:
        """Call `start` at its turn, or `refuse` when that does not come in time."""
        if self._free:
            self._free -= 1
            start(subject)
            return
        waiter = (start, subject)
        self._waiters.append(waiter)
        self._clock.after(self._patience, self._lose_patience, (waiter, refuse))

    def leave(self) -> None:
        """Give the turn back; who waited longest takes it."""
        self.admitted -= 1
        if self._waiters:
            start, subject = self._waiters.popleft()
            start(subject)
        else:
            self._free += 1

    def _lose_patience(self, event: Any) -> None:
        waiter, refuse = event.value
        # All are as patient, so whoever still waits now is the first.
        if self._waiters and self._waiters[0] is waiter:
            self._waiters.popleft()
            self.admitted -= 1
            refuse(waiter[1])
