"""The table of collections' rules in a gateway's memory, read as often as a record."""

import asyncio
import math
import time
from collections.abc import Callable
from typing import NamedTuple

from vitrine.access.collection_rules import CollectionRules
from vitrine.deliver.http.faults import Faults
from vitrine.errors import ServiceFailed, Unavailable
from vitrine.ports import ObjectStore
from vitrine.store.collection_rules import read_collection_rules

RENEWED_FROM = 2 / 3
"""Part of its life after which the table is read again, while it still answers."""
RENEWED_EVERY_SECONDS = 1.0
"""Time for which a read is waited for before the next use begins another."""
STALE_SECONDS = 600.0
"""Time for which an expired table may still answer while the bucket is unreachable."""
PATIENCE_SECONDS = 0.5
"""Time that a request waits for the new one, if there is an old one."""


class KnownRules(NamedTuple):
    """The table, and until when that may be relied on, by the watch's clock."""

    rules: CollectionRules | None
    """None: there is no table that can be read, so what depends on it is closed."""
    expires: float
    began: float = -math.inf
    """Time at which it began to be read."""

    def covers(self, rules_version: int, read_at: float) -> bool:
        """Return True if it has what a record rests on that was written with this version.

        A table that began to be read after the record was has it in any case.
        """
        return self.rules is None or self.rules.version >= rules_version or self.began >= read_at


class RulesWatch:
    """Reads the table. Belongs to one event loop."""

    def __init__(
        self,
        records: ObjectStore,
        ttl_seconds: float,
        clock: Callable[[], float] = time.monotonic,
        faults: Faults | None = None,
    ) -> None:
        self._records, self._ttl, self._clock = records, ttl_seconds, clock
        self._faults = faults or Faults()
        self._known: KnownRules | None = None
        self._renew = -math.inf
        self._task: asyncio.Task[KnownRules] | None = None

    def now(self) -> KnownRules | None:
        """Return the table as it is in memory; None if it has to be read first, or again soon."""
        return self._known if self._clock() < self._renew else None

    async def consult(self, rules_version: int = 0, read_at: float = -math.inf) -> KnownRules:
        """Return the table from memory, else from the bucket, else the expired one.

        It is not older than the version with which a record was written that was read at `read_at`,
        by the clock. Raises Unavailable if nobody knows the rules.
        """
        known, now = self._known, self._clock()
        if known and not known.covers(rules_version, read_at):
            known = None
        elif known and now < self._renew:
            return known
        task = self._begin()
        if known and now < known.expires:
            return known
        is_usable = known is not None and now < known.expires + STALE_SECONDS
        await asyncio.wait({task}, timeout=PATIENCE_SECONDS if is_usable else None)
        try:
            found = task.result()
        except (ServiceFailed, asyncio.InvalidStateError) as error:
            self._faults.report("collection-rules-silent", f"The rules of collections: {error}")
            if known and is_usable:
                return known
            raise Unavailable("the rules of collections cannot be read") from error
        if found.covers(rules_version, read_at):
            return found
        return await self.consult(rules_version, read_at)  # it began before the record was read

    def _begin(self) -> "asyncio.Task[KnownRules]":
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._read())
            self._task.add_done_callback(self._end)
        if self._known:
            self._renew = min(self._known.expires, self._clock() + RENEWED_EVERY_SECONDS)
        return self._task

    def _end(self, task: "asyncio.Task[KnownRules]") -> None:
        self._task = None
        if not task.cancelled():
            task.exception()  # retrieved, even if nobody waits

    async def _read(self) -> KnownRules:
        began, known = self._clock(), self._known
        rules = await asyncio.to_thread(
            read_collection_rules, self._records, known.rules if known else None
        )
        self._known = KnownRules(rules, began + self._ttl, began)
        self._renew = began + RENEWED_FROM * self._ttl
        return self._known
