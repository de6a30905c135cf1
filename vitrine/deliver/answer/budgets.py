"""Budgets of the costly lanes: what is under way in each, how fast it gets done, what gives way.

A budget is not an allowance per minute. The cost of what was admitted and is not done yet is known;
how fast the machine gets such work done is measured all the time. Their quotient is how long a new
request would wait. A request gives way if that is longer than its turn allows: first sizes of cold
images that info.json does not list, last those that are only large. Each lane has its own budget,
so a flood in one takes nothing from another.
"""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from vitrine.deliver.answer.ceilings import MAX_RETRY_SECONDS as MAX_CEILING_SECONDS
from vitrine.deliver.answer.ceilings import Ceilings, ReachedCeiling
from vitrine.deliver.answer.cost import Cost, GivesWay, Lane
from vitrine.deliver.metrics.counters import Counters
from vitrine.errors import Overloaded

PATIENCE_SECONDS = {GivesWay.FIRST: 2.0, GivesWay.SECOND: 8.0, GivesWay.THIRD: 25.0}
"""Longest estimated wait with which a request is admitted. Who asks for a large image waits as long
as nothing in front of the gateway gives up (`vitrine.deliver.answer.render_queue`)."""
MAX_GIVING_WAY = 128
"""Requests that could be refused, in a lane at a time: half of those that may wait for a small
render, so that the other half is left for what is never refused. The processes of a gateway divide
them, since it is memory and connections that they take."""
MAX_RETRY_SECONDS = 60
_MEMORY_SECONDS = 30.0
"""Half-life of completed work in the average, seconds."""
_MIN_DONE_SECONDS = 1e-3
"""Work that counts as done even if nothing was for hours, as while S3 is silent, in seconds."""
_FIRST_SECONDS = 1.0
"""A budget begins as if it had done its estimated work for so long, exactly as estimated."""


@dataclass(slots=True)
class _Work:
    """One piece of work under way, which several requests may wait for."""

    cost: Cost
    is_admitted: bool
    """False if it would have been refused: its result counts, and nobody waits behind it."""
    requests: int = 0


class Budget:
    """The work of one lane. Belongs to one event loop; `cores` share it at the beginning.

    Each process of a gateway has its own: what it gets done is measured with what the others take.
    """

    def __init__(
        self,
        cores: int,
        clock: Callable[[], float] = time.monotonic,
        *,
        most_giving_way: int = MAX_GIVING_WAY,
    ) -> None:
        self._clock = clock
        self._most_giving_way = most_giving_way
        self._at = clock()
        self._under_way: dict[str, _Work] = {}
        self._open_seconds = 0.0
        self.open_bytes = 0
        """Bytes to fetch for what is admitted and not done."""
        self._done_seconds, self._busy_seconds = cores * _FIRST_SECONDS, _FIRST_SECONDS

    @property
    def wait_seconds(self) -> float:
        """Estimated time until what was admitted is done."""
        self._pass_time()
        return self._open_seconds * self._busy_seconds / self._done_seconds

    def has_room(self, work: str, cost: Cost) -> bool:
        """Return True if a request would not give way: what joins other requests never does."""
        turn = cost.gives_way
        if turn is GivesWay.NEVER or work in self._under_way:
            return True
        giving_way = sum(
            one.is_admitted and one.cost.gives_way is not GivesWay.NEVER
            for one in self._under_way.values()
        )
        return self.wait_seconds <= PATIENCE_SECONDS[turn] and giving_way < self._most_giving_way

    def shares(self, work: str) -> bool:
        """Return True if this work is under way."""
        return work in self._under_way

    def begin(self, work: str, cost: Cost, *, is_admitted: bool = True) -> None:
        """Enter a request."""
        self._pass_time()
        entry = self._under_way.setdefault(work, _Work(cost, is_admitted))
        if not entry.requests and entry.is_admitted:
            self._open_seconds += cost.seconds
            self.open_bytes += cost.fetched_bytes
        entry.requests += 1

    def end(self, work: str, *, done: bool) -> None:
        """Take a request out; `done` is False if its work was given up."""
        self._pass_time()
        entry = self._under_way[work]
        entry.requests -= 1
        if entry.requests:
            return
        del self._under_way[work]
        if entry.is_admitted:
            self._open_seconds -= entry.cost.seconds
            self.open_bytes -= entry.cost.fetched_bytes
        if not self._under_way:
            self._open_seconds = 0.0  # without what rounding left
        if done:
            self._done_seconds += entry.cost.seconds

    def _pass_time(self) -> None:
        now = self._clock()
        passed, self._at = now - self._at, now
        if not self._under_way or passed <= 0:
            return
        kept = math.exp2(-passed / _MEMORY_SECONDS)
        self._done_seconds = max(self._done_seconds * kept, _MIN_DONE_SECONDS)
        self._busy_seconds = self._busy_seconds * kept + passed


class Budgets:
    """The budgets of all lanes that cost something. Belongs to one event loop.

    Without `refuses`, requests that would give way are only counted.
    """

    def __init__(
        self,
        *,
        cores: int,
        refuses: bool,
        counters: Counters,
        clock: Callable[[], float] = time.monotonic,
        ceilings: Ceilings | None = None,
        processes: int = 1,
    ) -> None:
        self._refuses = refuses
        self._ceilings = ceilings
        self._counters = counters
        most = max(1, MAX_GIVING_WAY // processes)
        self._lanes = {
            lane: Budget(cores, clock, most_giving_way=most)
            for lane in (Lane.CHEAP, Lane.COLD, Lane.LARGE)
        }
        for lane, budget in self._lanes.items():
            counters.watch("lane_wait_seconds", partial(getattr, budget, "wait_seconds"), lane=lane)

    def count(self, cost: Cost) -> None:
        """Count what a request is estimated to cost."""
        self._counters.count("priced_requests_total", lane=cost.lane)
        if cost.work:
            self._counters.count("derivatives_requested_total", standing=cost.standing)
        for name, amount in (
            ("priced_core_seconds_total", cost.work_seconds),
            ("priced_bytes_total", cost.fetched_bytes),
            ("priced_dollars_total", cost.usd),
        ):
            if amount:
                self._counters.count(name, amount, lane=cost.lane)

    @contextmanager
    def admission(self, work: str, cost: Cost) -> Iterator[None]:
        """Have a request's cost under way until the exit. Raises Overloaded.

        Requests for the same `work` share one cost.
        """
        self.count(cost)
        budget = self._lanes[cost.lane]
        is_admitted = self._admit_work(budget, work, cost)
        budget.begin(work, cost, is_admitted=is_admitted)
        done = False
        try:
            yield
            done = True
        finally:
            budget.end(work, done=done)

    def _admit_work(self, budget: Budget, work: str, cost: Cost) -> bool:
        """Return False if a request would give way, or raise Overloaded if it does."""
        if budget.shares(work):
            return True
        has_room = budget.has_room(work, cost)
        reached = None
        if not has_room:
            self._note_refusal(cost, budget.wait_seconds)
        elif self._ceilings:
            open_bytes = sum(one.open_bytes for one in self._lanes.values())
            if reached := self._ceilings.reached(cost, open_bytes):
                self._note_refusal(cost, 0.0, reached)
        if self._ceilings:
            self._ceilings.note_render()
        return has_room and reached is None

    def _note_refusal(
        self, cost: Cost, wait_seconds: float, reached: ReachedCeiling | None = None
    ) -> None:
        """Count a request that gives way. Raises Overloaded if requests are refused."""
        turn, result = cost.gives_way.name.lower(), "refused" if self._refuses else "counted"
        why = reached.name if reached else "wait"
        self._counters.count("gave_way_total", turn=turn, result=result, why=why)
        if not self._refuses:
            return
        if reached:
            raise Overloaded(
                "more was made than is paid for: the sizes that info.json lists and its tiles are "
                "answered, and so is this later",
                min(max(2, math.ceil(reached.retry_seconds)), MAX_CEILING_SECONDS),
            )
        raise Overloaded(
            "more is being asked than can be made: the sizes that info.json lists and its "
            "tiles are answered, and so is this later",
            min(max(2, math.ceil(wait_seconds)), MAX_RETRY_SECONDS),
        )
