"""Cores that two groups of requests share: those at normal priority, and those that were niced."""

from collections.abc import Callable
from functools import lru_cache
from heapq import heappop, heappush
from math import inf
from typing import Any

from vitrine.capacity.engine.clock import Clock

Finished = Callable[[Any], object]
"""Called with the subject that was handed in."""


class WeightedSharing:
    """Cores shared by weight (discriminatory processor sharing); no request uses more than one.

    Normal requests weigh 1, niced ones `niced_weight`: what Linux's fair scheduler gives threads of
    another niceness. As in `ProcessorSharing`, each group has a virtual time, which advances by
    what each of its requests has been served.
    """

    def __init__(self, clock: Clock, cores: float, niced_weight: float = 1.0) -> None:
        self._clock, self._cores, self._weight = clock, cores, niced_weight
        self._share = lru_cache(maxsize=None)(self.shares)
        self._present: tuple[list[Any], list[Any]] = ([], [])
        self._served = [0.0, 0.0]
        self._rates = (1.0, 1.0)
        self._updated = self._arrivals = self._alarm = 0
        self._spent = 0.0

    @property
    def spent_ns(self) -> float:
        """Nanoseconds of cores used until now: what a monitor would have seen."""
        self._advance()
        return self._spent

    def serve(self, demand: int, done: Finished, subject: Any = None, niced: bool = False) -> None:
        """Begin a request that needs `demand` nanoseconds of one core."""
        self._advance()
        self._arrivals += 1
        entry = (self._served[niced] + demand, self._arrivals, done, subject)
        heappush(self._present[niced], entry)
        self._await_departure()

    def shares(self, normal: int, niced: int) -> tuple[float, float]:
        """Share of a core that each of so many normal and niced requests gets."""
        cores, weight = self._cores, self._weight
        if normal + niced <= cores:
            return 1.0, 1.0
        each = cores / (normal + weight * niced)
        if each <= 1.0:
            return each, min(1.0, weight * each)
        return 1.0, min(1.0, (cores - normal) / niced)

    def _advance(self) -> None:
        elapsed = self._clock.now - self._updated
        if not elapsed:
            return
        self._updated += elapsed
        served, rates = self._served, self._rates
        for group in (0, 1):
            if present := self._present[group]:
                progress = elapsed * rates[group]
                served[group] += progress
                self._spent += progress * len(present)
            else:
                served[group] = 0.0

    def _await_departure(self) -> None:
        # An alarm that a later arrival or departure overtook finds a newer number and does nothing.
        self._alarm += 1
        normal, niced = self._present
        if not (normal or niced):
            return
        rates = self._rates = self._share(len(normal), len(niced))
        wait = (normal[0][0] - self._served[0]) / rates[0] if normal else inf
        if niced:
            wait = min(wait, (niced[0][0] - self._served[1]) / rates[1])
        self._clock.after(max(0, round(wait)), self._depart, self._alarm)

    def _depart(self, event: Any) -> None:
        if event.value != self._alarm:
            return
        self._advance()
        departed = []
        for group in (0, 1):
            present, served = self._present[group], self._served[group]
            # Rounding to whole nanoseconds may leave a request a fraction of one short.
            while present and present[0][0] - served < 1.0:
                departed.append(heappop(present))
        self._await_departure()
        for _, _, done, subject in departed:
            done(subject)
