"""Counts of what went wrong without ending the service, for alarms and for `vitrine status`."""

import logging
import time
from collections import Counter
from collections.abc import Callable

_LOG_SECONDS = 1.0
"""At most one line per event in this time: a failing disk is met by every request."""

logger = logging.getLogger(__name__)


class Faults:
    """Counts events, and logs them with the number of those since the last line.

    A line has the fields `event` and `count`, from which CloudWatch makes a metric.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._counts: Counter[str] = Counter()
        self._unlogged: Counter[str] = Counter()
        self._logged_at: dict[str, float] = {}

    def report(self, event: str, message: str) -> None:
        """Count an event, whose name has dashes and never changes."""
        self._counts[event] += 1
        self._unlogged[event] += 1
        now = self._clock()
        if now - self._logged_at.get(event, -_LOG_SECONDS) >= _LOG_SECONDS:
            self._logged_at[event] = now
            count = self._unlogged.pop(event)
            logger.error(message, extra={"fields": {"event": event, "count": count}})

    def counts(self) -> dict[str, int]:
        """Return how often each event happened since the start."""
        return dict(self._counts)
