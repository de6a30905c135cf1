"""Stations: where requests wait for servers, or share them.

A station takes a request with its service time in nanoseconds and calls back when it is done.
`busy_ns` is server time spent, so `busy_ns / (servers * elapsed)` is the utilisation once all
requests have left.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from heapq import heappop, heappush
from typing import Any

from capacity.engine.clock import Clock

Done = Callable[[Any], object]
"""Called with the subject that was handed in."""


class SingleServer:
    """One server, first come first served."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._free = 0
        self.busy_ns = 0

    def serve(self, service: int, done: Done, subject: Any = None) -> None:
        """Queue a request; its departure is known at once, so it costs one event."""
        now = self._clock.now
        self._free = max(now, self._free) + service
        self.busy_ns += service
        self._clock.after(self._free - now, done, subject)


class TokenBucket:
    """A line whose long-run rate is limited: bursts pass at once until their allowance is spent.

    `burst` is the allowance, as the nanoseconds it takes to refill. What is over it goes first
    come first served at the limited rate (the generic cell rate algorithm).
    """

    def __init__(self, clock: Clock, burst: int) -> None:
        self._clock, self._burst = clock, burst
        self._refilled = 0
        self.busy_ns = 0

    def serve(self, service: int, done: Done, subject: Any = None) -> None:
        """Pass what takes `service` nanoseconds at the limited rate."""
        now = self._clock.now
        self._refilled = max(now, self._refilled) + service
        self.busy_ns += service
        self._clock.after(max(0, self._refilled - self._burst - now), done, subject)


class StationPool:
    """Places that requests hold while something else serves them, first come first served."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._waiting: deque[tuple[Callable[[Any], object], Any]] = deque()

    def enter(self, start: Callable[[Any], object], subject: Any) -> None:
        """Call `start(subject)` as soon as there is a place."""
        if self._free:
            self._free -= 1
            start(subject)
        else:
            self._waiting.append((start, subject))

    def leave(self) -> None:
        """Give a place back; who waited longest takes it."""
        if self._waiting:
            start, subject = self._waiting.popleft()
            start(subject)
        else:
            self._free += 1


@dataclass(frozen=True)
class Cores:
    """Processor cores, of which each request uses one at most.

    `gain` is what a core's second hardware thread adds when all cores are busy twice over
    (1.0: nothing, or that there is no such thread); in between it grows evenly.
    """

    number: float
    gain: float = 1.0

    def share(self, present: int) -> float:
        """Return what each of `present` requests gets, as a share of a core to itself."""
        doubled = min(max(0.0, present - self.number), self.number)
        capacity = min(present, self.number) + (self.gain - 1.0) * doubled
        return capacity / present


class ProcessorSharing:
    """Cores that all present requests share evenly.

    Works in virtual time, which advances by what each request has been served: a request leaves
    when that has grown by its own demand, so the order of departures is a heap.
    """

    def __init__(self, clock: Clock, cores: Cores) -> None:
        self._clock = clock
        self._share = lru_cache(maxsize=None)(cores.share)
        self._served = 0.0
        self._updated = 0
        self._present: list[tuple[float, int, Done, Any]] = []
        self._arrivals = 0
        self._alarm = 0
        self.busy_ns = 0

    def serve(self, demand: int, done: Done, subject: Any = None) -> None:
        """Begin a request that needs `demand` nanoseconds of one core."""
        self._advance_work()
        self._arrivals += 1
        self.busy_ns += demand
        heappush(self._present, (self._served + demand, self._arrivals, done, subject))
        self._await_departure()

    def _advance_work(self) -> None:
        now = self._clock.now
        if self._present:
            self._served += (now - self._updated) * self._share(len(self._present))
        else:
            self._served = 0.0
        self._updated = now

    def _await_departure(self) -> None:
        # An alarm that a later arrival or departure overtook finds a newer number and does nothing.
        self._alarm += 1
        if self._present:
            wait = (self._present[0][0] - self._served) / self._share(len(self._present))
            self._clock.after(max(0, round(wait)), self._end_departed, self._alarm)

    def _end_departed(self, alarm: int) -> None:
        if alarm != self._alarm:
            return
        self._advance_work()
        # Rounding to whole nanoseconds may leave a request a fraction of one short.
        while self._present and self._present[0][0] - self._served < 1.0:
            _, _, done, subject = heappop(self._present)
            self._clock.after(0, done, subject)
        self._await_departure()
