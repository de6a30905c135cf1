"""The edge: caches by identity and bytes, and viewers who wait for the same answer."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from capacity.engine.clock import SECOND, Clock, nanoseconds
from capacity.model.cost_profile import Profile
from capacity.model.design import GIBIBYTE, Design
from capacity.model.recency_order import Recency
from capacity.model.request_demand import Wanted

_BYTES_BITS = 36
_BYTES = (1 << _BYTES_BITS) - 1


class EdgeCache:
    """Answers by identity, so many bytes of them, the least recently used first to go."""

    def __init__(self, capacity: int, ttl_seconds: float) -> None:
        self._capacity, self._ttl = capacity, int(ttl_seconds)
        self._entries = Recency()
        self.bytes = 0

    def holds(self, key: int, second: int) -> bool:
        """Whether it has an answer that has not expired; that is then the last to go."""
        entry = self._entries.get(key)
        if entry is None:
            return False
        if entry >> _BYTES_BITS <= second:
            self._entries.drop(key)
            self.bytes -= entry & _BYTES
            return False
        self._entries.use(key, entry)
        return True

    def keep(self, key: int, size: int, second: int) -> None:
        """Take in an answer that it does not hold, unless it is larger than everything."""
        if size > self._capacity or not self._ttl:
            return
        entries = self._entries
        entries.use(key, _packed(second + self._ttl, size))
        self.bytes += size
        while self.bytes > self._capacity:
            self.bytes -= entries.drop_oldest() & _BYTES


@lru_cache(maxsize=1_024)
def _packed(expiry: int, size: int) -> int:
    """One number, and mostly the same object: there is a million of them."""
    return expiry << _BYTES_BITS | size


class Edge:
    """Edge locations, perhaps a shield behind them, then the origin.

    `origin` is asked for what nobody has; it calls `answer` when that is at the edge. `answered`
    hears of everybody who could not be answered at once.
    """

    def __init__(self, clock: Clock, design: Design, profile: Profile) -> None:
        capacity = int(design.edge_gibibytes * GIBIBYTE)
        self._clock = clock
        self._caches = [
            EdgeCache(capacity, design.edge_ttl_seconds)
            for _ in range(max(1, int(profile.edge_locations)))
        ]
        self._shield = (
            EdgeCache(capacity, design.edge_ttl_seconds) if design.origin_shield else None
        )
        self._shield_ns = nanoseconds(profile.shield_ms / 1000)
        self._waiting: list[dict[int, list[Any]]] = [{} for _ in self._caches]
        self._waiting_at_shield: dict[int, list[int]] = {}
        self.origin: Callable[[Wanted, int, int], object] = _nobody
        """Asked with the location that is to hear of it, and the nanoseconds until it is asked."""
        self.answered: Callable[[Any, bool], object] = _nobody
        """Called with who asked, and whether there is an answer; False: the origin refused."""
        self.hits = self.collapsed = self.shield_hits = self.origin_requests = 0

    @property
    def locations(self) -> int:
        """Viewers are shared out among so many."""
        return len(self._caches)

    def ask(self, location: int, wanted: Wanted, waiter: Any, delay: int) -> bool:
        """True: the location has it. Otherwise `answered(waiter, …)` is called when it came.

        `delay` are the nanoseconds that the request is still on its way to the location.
        """
        key, second = wanted.key, self._clock.now // SECOND
        if self._caches[location].holds(key, second):
            self.hits += 1
            return True
        waiting = self._waiting[location].get(key)
        if waiting is not None:
            self.hits += 1
            self.collapsed += 1
            waiting.append(waiter)
            return False
        self._waiting[location][key] = [waiter]
        self._fetch(location, wanted, second, delay)
        return False

    def fill(self, location: int, wanted: Wanted) -> bool:
        """Before the first second: whether a cache had it; now the location has."""
        cache = self._caches[location]
        if cache.holds(wanted.key, 0):
            return True
        cache.keep(wanted.key, wanted.bytes, 0)
        if self._shield is None:
            return False
        held = self._shield.holds(wanted.key, 0)
        if not held:
            self._shield.keep(wanted.key, wanted.bytes, 0)
        return held

    def answer(self, location: int, wanted: Wanted, good: bool) -> None:
        """The origin's answer is there, for the location that asked and who waits with it."""
        if self._shield is None:
            self._deliver(location, wanted, good)
            return
        if good:
            self._shield.keep(wanted.key, wanted.bytes, self._clock.now // SECOND)
        for waiting in self._waiting_at_shield.pop(wanted.key):
            self._deliver(waiting, wanted, good)

    def _fetch(self, location: int, wanted: Wanted, second: int, delay: int) -> None:
        if self._shield is None:
            self.origin_requests += 1
            self.origin(wanted, location, delay)
        elif self._shield.holds(wanted.key, second):
            self.shield_hits += 1
            self._clock.after(delay + self._shield_ns, self._shielded, (location, wanted))
        elif wanted.key in self._waiting_at_shield:
            self.shield_hits += 1
            self._waiting_at_shield[wanted.key].append(location)
        else:
            self.origin_requests += 1
            self._waiting_at_shield[wanted.key] = [location]
            self.origin(wanted, location, delay + self._shield_ns)

    def _shielded(self, held: tuple[int, Wanted]) -> None:
        location, wanted = held
        self._deliver(location, wanted, True)

    def _deliver(self, location: int, wanted: Wanted, good: bool) -> None:
        if good:
            self._caches[location].keep(wanted.key, wanted.bytes, self._clock.now // SECOND)
        waiters: Sequence[Any] = self._waiting[location].pop(wanted.key)
        for waiter in waiters:
            self.answered(waiter, good)


def _nobody(*_: object) -> None:
    raise AssertionError("an edge without an origin")
