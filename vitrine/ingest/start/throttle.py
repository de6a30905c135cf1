"""How fast the starter starts: uploads wait in their queue, not as executions that cannot run.

An execution that finds no free Lambda is throttled and tries again for an hour. A burst of 10,000
uploads takes longer, so no more executions may run than that hour can end; the others wait where
waiting costs nothing and has no end: in the queue.
"""

import random
import time
from collections.abc import Callable

from vitrine.errors import TransientError
from vitrine.ports import MessageQueue, Pipeline

FRESH_SECONDS = 2.0
"""How long a count is believed: ListExecutions may be asked a few times a second per account."""
EXECUTION_SECONDS = 5
"""Hardly any execution ends sooner."""
LEAST_WAIT_SECONDS = 5
LONGEST_WAIT_SECONDS = 120


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
        self._wait_known_at: float | None = None
        self._longest_wait = LONGEST_WAIT_SECONDS

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

    def wait_seconds(self, waiting: MessageQueue) -> int:
        """How long one that was not allowed should wait, in the queue of all that do.

        Together they come back as fast as places may become free: were it slower, places would
        stay free while uploads wait; faster would cost and bring nothing. At random, so that they
        do not all come at once.
        """
        now = self._clock()
        if self._wait_known_at is None or now - self._wait_known_at >= FRESH_SECONDS:
            self._longest_wait = self._longest(waiting)
            self._wait_known_at = now
        return random.randint(self._longest_wait // 2, self._longest_wait)

    def _longest(self, waiting: MessageQueue) -> int:
        try:
            turns = waiting.length() / max(1, self._at_once)
        except TransientError:
            return LONGEST_WAIT_SECONDS
        wanted = round(turns * EXECUTION_SECONDS)
        return min(max(wanted, LEAST_WAIT_SECONDS), LONGEST_WAIT_SECONDS)

    def _count(self) -> int:
        try:
            free = self._at_once - self._pipeline.running()
        except TransientError:
            return 0
        # Rounded up, or the last free places would never be taken.
        return max(0, -(-free // self._starters))
