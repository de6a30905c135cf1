"""Requests that kill the process that renders them: they are not tried again for a while."""

import time
from collections import OrderedDict
from collections.abc import Callable
from math import ceil

from vitrine.errors import PoisonedRequest

FIRST_SECONDS = 60.0
MAX_SECONDS = 3_600.0
MAX_REMEMBERED = 1_024
"""Requests that are remembered; the oldest is forgotten first."""


class PoisonedRequests:
    """A bounded memory of requests, each with the time until which it is not tried.

    The time doubles whenever a request kills again after it, from a minute up to an hour. A request
    that was left alone for an hour after its time starts again with a minute.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._remembered: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """When a request may be tried again, and the seconds that it had to wait for it."""

    def check(self, request: str) -> None:
        """Raise PoisonedRequest while a request must not be tried."""
        due, _ = self._remembered.get(request, (0.0, 0.0))
        left = due - self._clock()
        if left > 0:
            raise PoisonedRequest("this image cannot be rendered at this size now", ceil(left))

    def remember(self, request: str) -> float:
        """Note that a request has killed; return the seconds for which it will not be tried."""
        now = self._clock()
        due, seconds = self._remembered.pop(request, (0.0, 0.0))
        if due > now:  # another client's, tried at the same time
            self._remembered[request] = due, seconds
            return due - now
        again = seconds > 0 and now < due + MAX_SECONDS
        seconds = min(2 * seconds, MAX_SECONDS) if again else FIRST_SECONDS
        self._remembered[request] = now + seconds, seconds
        if len(self._remembered) > MAX_REMEMBERED:
            self._remembered.popitem(last=False)
        return seconds

    def __len__(self) -> int:
        return len(self._remembered)
