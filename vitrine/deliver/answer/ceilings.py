"""Ceilings: what a task may read from S3 in a minute and render in a day, before it costs too much.

Budgets follow what the machine can do; a ceiling is what an operator wants to pay. What all
processes have spent is in memory that they share. As a ceiling fills up, requests give way in the
same order as under pressure. Its last part is left for tiles and for sizes that info.json lists,
which a ceiling never refuses.
"""

import time
from collections.abc import Callable
from typing import NamedTuple

from vitrine.deliver.answer.cost import Cost, GivesWay
from vitrine.deliver.metrics.counters import Counters
from vitrine.deliver.render.shared_load import ProcessLoad, Spending
from vitrine.settings.deliver import DeliverSettings

SHARES = {GivesWay.FIRST: 0.5, GivesWay.SECOND: 0.75, GivesWay.THIRD: 1.0}
"""Part of a ceiling up to which a request is admitted; what never gives way has no limit."""
MINUTE, DAY = 60.0, 86_400.0
MAX_RETRY_SECONDS = 3_600
_MEBIBYTE = 1 << 20


class ReachedCeiling(NamedTuple):
    """A ceiling for which a request gives way."""

    name: str
    retry_seconds: float


class _Ceiling:
    """So much in each minute or day of UTC."""

    def __init__(
        self, name: str, amount: float, seconds: float, spending: Spending, counters: Counters
    ) -> None:
        self.name = name
        self.amount = amount
        self._seconds = seconds
        self._spending = spending
        self._counters = counters

    def spend(self, amount: float, now: float) -> None:
        """Count what was spent, and once a window, that it was too much."""
        window = int(now / self._seconds)
        before = self._spending.total(window)
        self._spending.add(window, amount)
        if before <= self.amount < before + amount:
            self._counters.count("ceilings_reached_total", ceiling=self.name)

    def reached(self, amount: float, share: float, now: float) -> ReachedCeiling | None:
        """Return when to come again if `amount` more is beyond this share of the ceiling."""
        window = int(now / self._seconds)
        if self._spending.total(window) + amount <= share * self.amount:
            return None
        return ReachedCeiling(self.name, (window + 1) * self._seconds - now)


class Ceilings:
    """All ceilings of a task that are not 0. Belongs to one event loop."""

    def __init__(
        self,
        settings: DeliverSettings,
        load: ProcessLoad,
        counters: Counters,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`clock` is in seconds since 1970."""
        self._clock = clock
        self._counters = counters
        mebibytes = settings.store_mebibytes_a_minute
        amounts = {
            "store-bytes": (mebibytes * _MEBIBYTE, MINUTE),
            "store-requests": (settings.store_requests_a_minute, MINUTE),
            "renders": (settings.renders_a_day, DAY),
        }
        self._ceilings = {
            name: _Ceiling(name, amount, seconds, spending, counters)
            for name, (amount, seconds) in amounts.items()
            # Every process asks for its memory in one order, used or not.
            if (spending := load.next_spending()) and amount
        }

    def note_read(self, length: int) -> None:
        """Count a request to S3 and its bytes."""
        self._spend_amount("store-requests", 1)
        self._spend_amount("store-bytes", length)

    def note_render(self) -> None:
        """Count a render."""
        self._spend_amount("renders", 1)

    def reached(self, cost: Cost, open_bytes: float) -> ReachedCeiling | None:
        """Return the ceiling for which this request gives way, if any.

        `open_bytes` is what requests before it were admitted to read and may not have read yet.
        """
        turn = cost.gives_way
        if turn is GivesWay.NEVER or not self._ceilings:
            return None
        amounts = {"renders": 1.0}
        if cost.fetched_bytes:
            amounts["store-bytes"] = open_bytes + cost.fetched_bytes
            amounts["store-requests"] = cost.reads
        now = self._clock()
        for name, amount in amounts.items():
            ceiling = self._ceilings.get(name)
            found = ceiling.reached(amount, SHARES[turn], now) if ceiling else None
            if found:
                self._counters.count("ceilings_reached_total", ceiling=name)
                return found
        return None

    def _spend_amount(self, name: str, amount: float) -> None:
        if ceiling := self._ceilings.get(name):
            ceiling.spend(amount, self._clock())
