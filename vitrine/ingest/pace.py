"""How fast the starter starts: uploads wait in their queue, not as executions that cannot run.

An execution that finds no free Lambda is throttled and tries again for an hour. A burst of 10,000
uploads takes longer, so no more executions may run than that hour can end; the others wait where
waiting costs nothing and has no end: in the queue.
"""

import time
from collections.abc import Callable

from vitrine.errors import TransientError
from vitrine.ports import Pipeline

FRESH_SECONDS = 2.0
"""How long a count is believed: ListExecutions may be asked a few times a second per account."""


class Pace:
    """One process's share of the executions that may still be started.

    `at_once` executions may run at a time (0: any number), and `starters` processes share them.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        *,
        at_once: int,
        starters: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._pipeline = pipeline
        self._at_once = at_once
        self._starters = max(1, starters)
        self._clock = clock
        self._counted_at: float | None = None
        self._share = 0

    def allows_another(self) -> bool:
        """May one more execution be started now? False too when nobody can say."""
        if not self._at_once:
            return True
        now = self._clock()
        if self._counted_at is None or now - self._counted_at >= FRESH_SECONDS:
            self._share = self._count()
            self._counted_at = now
        return self._share > 0

    def started(self) -> None:
        """One more was started."""
        self._share -= 1

    def _count(self) -> int:
        try:
            free = self._at_once - self._pipeline.running()
        except TransientError:
            return 0
        # Rounded up, or the last free places would never be taken.
        return max(0, -(-free // self._starters))
