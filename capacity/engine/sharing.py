"""Cores that groups of requests share by weight: what a scheduler does with niceness."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from heapq import heappop, heappush
from typing import Any

from capacity.engine.clock import Clock

Finished = Callable[[Any], object]
"""Called with the subject that was handed in."""


class _Group:
    """Requests of one weight; `served` is what each of them has had since there were any."""

    __slots__ = ("index", "present", "rate", "served")

    def __init__(self, index: int) -> None:
        self.index = index
        self.present: list[Any] = []
        self.served = 0.0
        self.rate = 1.0

    @property
    def wait(self) -> float:
        """Until the first leaves, at this rate."""
        return float((self.present[0][0] - self.served) / self.rate)


class WeightedSharing:
    """Cores shared by weight (discriminatory processor sharing); no request uses more than one.

    `weights` are those of one request of each group: Linux's fair scheduler gives threads of
    another niceness such shares. As in `ProcessorSharing`, each group has a virtual time, which
    advances by what each of its requests has been served.
    """

    def __init__(self, clock: Clock, cores: float, weights: Sequence[float] = (1.0,)) -> None:
        self._clock, self._cores, self._weights = clock, cores, tuple(weights)
        self._share = lru_cache(maxsize=None)(self.shares)
        self._groups = [_Group(index) for index in range(len(weights))]
        self._busy: list[_Group] = []
        self._updated = self._arrivals = self._alarm = 0
        self._spent = 0.0
        self._rate_alone = min(1.0, cores)

    @property
    def is_idle(self) -> bool:
        """Return whether no request is being served."""
        return not self._busy

    @property
    def spent_ns(self) -> float:
        """Nanoseconds of cores used until now: what a monitor would have seen."""
        self._advance_served()
        return self._spent

    def serve(self, demand: int, done: Finished, subject: Any = None, group: int = 0) -> None:
        """Begin a request that needs `demand` nanoseconds of one core."""
        joined, alone = self._groups[group], not self._busy
        if alone:
            self._updated = self._clock.now
        else:
            self._advance_served()
        if not joined.present:
            joined.served = 0.0
            self._busy.append(joined)
        self._arrivals += 1
        heappush(joined.present, (joined.served + demand, self._arrivals, done, subject))
        if alone:  # as most are: the same, but shorter
            joined.rate = self._rate_alone
            self._alarm += 1
            self._clock.after(round(demand / joined.rate), self._end_departed, self._alarm)
        else:
            self._await_departure()

    def shares(self, *counts: int) -> tuple[float, ...]:
        """Share of a core that each request gets, given the number of each group."""
        left, rates = self._cores, [1.0] * len(counts)
        sharing = {group for group, count in enumerate(counts) if count}
        while sharing:
            unit = left / sum(counts[group] * self._weights[group] for group in sharing)
            whole = {group for group in sharing if self._weights[group] * unit >= 1.0}
            if not whole:
                for group in sharing:
                    rates[group] = self._weights[group] * unit
                break
            # Who would get more than a core gets one; the rest is the others'.
            left -= sum(counts[group] for group in whole)
            sharing -= whole
        return tuple(rates)

    def _advance_served(self) -> None:
        elapsed = self._clock.now - self._updated
        if not elapsed:
            return
        self._updated += elapsed
        for group in self._busy:
            progress = elapsed * group.rate
            group.served += progress
            self._spent += progress * len(group.present)

    def _await_departure(self) -> None:
        # An alarm that a later arrival or departure overtook finds a newer number and does nothing.
        self._alarm += 1
        busy = self._busy
        if len(busy) == 1:
            only = busy[0]
            only.rate = min(1.0, self._cores / len(only.present))
            wait = only.wait
        else:
            rates = self._share(*(len(group.present) for group in self._groups))
            for group in busy:
                group.rate = rates[group.index]
            wait = min(group.wait for group in busy)
        self._clock.after(max(0, round(wait)), self._end_departed, self._alarm)

    def _end_departed(self, alarm: int) -> None:
        if alarm != self._alarm:
            return
        self._advance_served()
        departed = []
        for group in self._busy:
            present, served = group.present, group.served
            # Rounding to whole nanoseconds may leave a request a fraction of one short.
            while present and present[0][0] - served < 1.0:
                departed.append(heappop(present))
        if departed:
            self._busy = [group for group in self._busy if group.present]
        if self._busy:
            self._await_departure()
        for _, _, done, subject in departed:
            done(subject)
