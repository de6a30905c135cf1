"""The throttle of the starter: uploads wait in their queue, not as executions that cannot run.

An execution that finds no free Lambda is throttled and tries again for an hour. A burst of 10,000
uploads takes longer, so no more executions may run than that hour can end; the others wait where
waiting costs nothing and has no limit: in the queue.
"""

import random
import time
from collections.abc import Callable
from threading import Lock

from vitrine.errors import TransientError
from vitrine.ports import MessageQueue, Pipeline

FRESH_SECONDS = 2.0
"""Seconds for which a count is used: an account may call ListExecutions a few times a second."""
EXECUTION_SECONDS = 5
"""Shortest time of almost all executions."""
MIN_WAIT_SECONDS = 5
MAX_WAIT_SECONDS = 120


class Throttle:
    """Limits how many executions one of several starters may start.

    `at_once` executions may run at a time (0: any number), and `starters` processes share them.
    Threads of a process may use it together.
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
        self._lock = Lock()
        self._counted_at: float | None = None
        self._share = 0
        self._wait_known_at: float | None = None
        self._longest_wait = MAX_WAIT_SECONDS

    def may_start(self) -> bool:
        """Return True if one more execution may be started now; False if the count failed."""
        return self._take(0)

    def take_slot(self) -> bool:
        """Return True, and count one more execution as started, if one may be started now."""
        return self._take(1)

    def give_slot_back(self) -> None:
        """Count one execution less: the slot that was taken is not needed."""
        with self._lock:
            self._share += 1

    def _take(self, slots: int) -> bool:
        if not self._at_once:
            return True
        with self._lock:
            now = self._clock()
            if self._counted_at is None or now - self._counted_at >= FRESH_SECONDS:
                self._share = self._count_free()
                self._counted_at = now
            if self._share <= 0:
                return False
            self._share -= slots
            return True

    def wait_seconds(self, waiting: MessageQueue) -> int:
        """Return how long an upload that may not start should wait in the queue `waiting`.

        All of them together come back as fast as executions may end: slower would leave converters
        idle while uploads wait, faster would cost and bring nothing. The time is random, so that
        they do not all come back at once.
        """
        now = self._clock()
        if self._wait_known_at is None or now - self._wait_known_at >= FRESH_SECONDS:
            self._longest_wait = self._compute_longest_wait(waiting)
            self._wait_known_at = now
        return random.randint(self._longest_wait // 2, self._longest_wait)

    def _compute_longest_wait(self, waiting: MessageQueue) -> int:
        try:
            turns = waiting.length() / max(1, self._at_once)
        except TransientError:
            return MAX_WAIT_SECONDS
        seconds = round(turns * EXECUTION_SECONDS)
        return min(max(seconds, MIN_WAIT_SECONDS), MAX_WAIT_SECONDS)

    def _count_free(self) -> int:
        try:
            free = self._at_once - self._pipeline.running()
        except TransientError:
            return 0
        # Rounded up, or the last free ones would never be used.
        return max(0, -(-free // self._starters))
