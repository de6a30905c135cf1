"""The edge: caches by identity and bytes, and viewers who wait for the same answer."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from capacity.engine.clock import SECOND, Clock, to_nanoseconds
from capacity.model.cost_profile import CostProfile
from capacity.model.design import GIBIBYTE, Design
from capacity.model.recency_order import Recency
from capacity.model.request_demand import RequestDemand

_BYTES_BITS = 36
_BYTES = (1 << _BYTES_BITS) - 1


class LocationCache:
    """Answers by identity, up to a number of bytes; the least recently used goes first."""

    def __init__(self, capacity: int, ttl_seconds: float) -> None:
        self._capacity, self._ttl = capacity, int(ttl_seconds)
        self._entries = Recency()
        self.bytes = 0

    def holds(self, key: int, second: int) -> bool:
        """Return whether an answer is here and fresh; it becomes the last to be evicted."""
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
        entries.use(key, _pack_entry(second + self._ttl, size))
        self.bytes += size
        while self.bytes > self._capacity:
            self.bytes -= entries.drop_oldest() & _BYTES


@lru_cache(maxsize=1_024)
def _pack_entry(expiry: int, size: int) -> int:
    """Pack both into one number, mostly the same object: there are a million of them."""
    return expiry << _BYTES_BITS | size


class Edge:
    """Edge locations, perhaps a shield behind them, then the origin.

    `origin` is asked for what nobody has; it calls `answer` when that is at the edge. `answered`
    hears of everybody who could not be answered at once.
    """

    def __init__(self, clock: Clock, design: Design, profile: CostProfile) -> None:
        capacity = int(design.edge_gibibytes * GIBIBYTE)
        self._clock = clock
        self._caches = [
            LocationCache(capacity, design.edge_ttl_seconds)
            for _ in range(max(1, int(profile.edge_locations)))
        ]
        self._shield = (
            LocationCache(capacity, design.edge_ttl_seconds) if design.origin_shield else None
        )
        self._shield_ns = to_nanoseconds(profile.shield_ms / 1000)
        self._waiting: list[dict[int, list[Any]]] = [{} for _ in self._caches]
        self._waiting_at_shield: dict[int, list[int]] = {}
        self.origin: Callable[[RequestDemand, int, int], object] = _refuse_request
        """Called with a request, the location that waits for it, and the nanoseconds on its way."""
        self.answered: Callable[[Any, bool], object] = _refuse_request
        """Called with who asked, and whether there is an answer; False: the origin refused."""
        self.hits = self.collapsed = self.shield_hits = self.origin_requests = 0

    @property
    def locations(self) -> int:
        """Number of edge locations, among which viewers are shared out."""
        return len(self._caches)

    def ask(self, location: int, request: RequestDemand, waiter: Any, delay: int) -> bool:
        """Return True if the location has it; otherwise call `answered(waiter, …)` when it comes.

        `delay` are the nanoseconds that the request is still on its way to the location.
        """
        key, second = request.key, self._clock.now // SECOND
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
        self._fetch_answer(location, request, second, delay)
        return False

    def fill(self, location: int, request: RequestDemand, second: int = 0) -> bool:
        """Before the first second: whether a cache had it; now the location has.

        `second` is when it was asked for, 0 or below.
        """
        cache = self._caches[location]
        if cache.holds(request.key, second):
            return True
        cache.keep(request.key, request.bytes, second)
        if self._shield is None:
            return False
        held = self._shield.holds(request.key, second)
        if not held:
            self._shield.keep(request.key, request.bytes, second)
        return held

    def take(self, location: int, request: RequestDemand) -> None:
        """Keep an answer that went through for somebody whom the counters leave out."""
        second = self._clock.now // SECOND
        for cache in (self._shield, self._caches[location]):
            if cache and not cache.holds(request.key, second):
                cache.keep(request.key, request.bytes, second)

    def answer(self, location: int, request: RequestDemand, good: bool) -> None:
        """Hand the origin's answer to the location that asked, and to all that wait with it."""
        if self._shield is None:
            self._deliver_answer(location, request, good)
            return
        if good:
            self._shield.keep(request.key, request.bytes, self._clock.now // SECOND)
        for waiting in self._waiting_at_shield.pop(request.key):
            self._deliver_answer(waiting, request, good)

    def _fetch_answer(self, location: int, request: RequestDemand, second: int, delay: int) -> None:
        if self._shield is None:
            self.origin_requests += 1
            self.origin(request, location, delay)
        elif self._shield.holds(request.key, second):
            self.shield_hits += 1
            self._clock.after(delay + self._shield_ns, self._deliver_shielded, (location, request))
        elif request.key in self._waiting_at_shield:
            self.shield_hits += 1
            self._waiting_at_shield[request.key].append(location)
        else:
            self.origin_requests += 1
            self._waiting_at_shield[request.key] = [location]
            self.origin(request, location, delay + self._shield_ns)

    def _deliver_shielded(self, held: tuple[int, RequestDemand]) -> None:
        location, request = held
        self._deliver_answer(location, request, True)

    def _deliver_answer(self, location: int, request: RequestDemand, good: bool) -> None:
        if good:
            self._caches[location].keep(request.key, request.bytes, self._clock.now // SECOND)
        waiters: Sequence[Any] = self._waiting[location].pop(request.key)
        for waiter in waiters:
            self.answered(waiter, good)


def _refuse_request(*_: object) -> None:
    raise AssertionError("an edge without an origin")
