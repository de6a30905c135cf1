"""Look identifiers up: the table is read at most once per lifetime of a record."""

import asyncio
import logging
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

from vitrine.deliver.single_flight import SingleFlight
from vitrine.errors import MasterRejected, TransientError, Unavailable
from vitrine.identify.identifier import check_identifier
from vitrine.identify.resolve import LONGEST_CHAIN, Resolution, Unknown, resolve
from vitrine.ports import IdentifierTable
from vitrine.records import Live, Record, Redirect

UNKNOWN_SECONDS = 2.0
"""An unknown identifier may be published any moment; a known one changes rarely."""
STALE_SECONDS = 600.0
"""How long an expired record may still answer while the table is unreachable."""
PATIENCE_SECONDS = 0.5
"""How long a request with an expired record waits for the new one: a silent table must not hold
up its viewers."""
CAPACITY = 10_000
"""Records kept, and as many names without a record: random names displace no image."""

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _CachedRecord:
    record: Record | None
    expires: float


class LookupResult(NamedTuple):
    """What an identifier's records say, and until when that may be relied on."""

    identifier: str
    decision: Resolution
    consulted: tuple[_CachedRecord, ...] = ()
    """The identifier's record, and those that redirects led to."""

    @property
    def expires(self) -> float:
        """When the first of the records consulted expires, by the clock of the lookup.

        Never for an unknown identifier: caches keep a 404 for seconds only.
        """
        if isinstance(self.decision, Unknown):
            return math.inf
        return min(cached.expires for cached in self.consulted)


class RecordLookup:
    """Records of the identifiers table, kept for `ttl_seconds`. Belongs to one event loop."""

    def __init__(
        self,
        table: IdentifierTable,
        ttl_seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._table = table
        self._ttl = ttl_seconds
        self._clock = clock
        # Not a cachetools.LRUCache: its `get` runs in Python, and every tile passes `live_now`.
        self._known: OrderedDict[str, _CachedRecord] = OrderedDict()
        self._without_record: OrderedDict[str, _CachedRecord] = OrderedDict()
        self._flights: SingleFlight[_CachedRecord] = SingleFlight()
        self._threads = ThreadPoolExecutor(8, thread_name_prefix="lookup")

    def live_now(self, identifier: str) -> Live | None:
        """Return the image of exactly this name, if an unexpired record is in memory."""
        known = self._known.get(identifier)
        if known is None or self._clock() >= known.expires:
            return None
        return known.record if isinstance(known.record, Live) else None

    async def find(self, identifier: str) -> LookupResult:
        """Look up an identifier in NFC. Raises Unavailable."""
        try:
            check_identifier(identifier)
        except MasterRejected:
            return LookupResult(identifier, Unknown())
        result = await self._follow(identifier)
        if len(result.consulted) > 1 and isinstance(result.decision, Unknown):
            # A redirect that leads nowhere: one of the records in memory may be out of date.
            for cached in result.consulted:
                cached.expires = min(cached.expires, self._clock())
            result = await self._follow(identifier)
        return result

    def is_current(self, result: LookupResult) -> bool:
        """Return True if the result may be kept: no record that it rests on has expired."""
        return self._clock() < result.expires

    async def confirm(self, result: LookupResult) -> bool:
        """Return True if the result is current, or a new lookup gives the same decision."""
        if self.is_current(result):
            return True
        try:
            again = await self.find(result.identifier)
        except Unavailable:
            return False
        return again.decision == result.decision and self.is_current(again)

    async def _follow(self, identifier: str) -> LookupResult:
        """Follow redirects from a record to the end of the chain."""
        consulted = [await self._consult(identifier)]
        while isinstance(end := consulted[-1].record, Redirect) and len(consulted) <= LONGEST_CHAIN:
            consulted.append(await self._consult(end.target))
        return LookupResult(
            identifier, resolve(consulted[0].record, consulted[-1].record), tuple(consulted)
        )

    async def _consult(self, identifier: str) -> _CachedRecord:
        """Return the record from memory, else from the table, else the expired one."""
        known = self._recall(identifier)
        if known and self._clock() < known.expires:
            return known
        bridge = known if known and self._clock() < known.expires + STALE_SECONDS else None
        flight = self._flights.run(identifier, lambda: self._read(identifier))
        try:
            return await (asyncio.wait_for(flight, PATIENCE_SECONDS) if bridge else flight)
        except (TransientError, TimeoutError) as error:
            logger.warning("identifiers table: %s", error or "no answer yet")
            if bridge:
                return bridge
            raise Unavailable("the table of identifiers does not answer") from error

    async def _read(self, identifier: str) -> _CachedRecord:
        loop = asyncio.get_running_loop()
        record = await loop.run_in_executor(self._threads, self._table.get, identifier)
        life = self._ttl if record else min(self._ttl, UNKNOWN_SECONDS)
        cached = _CachedRecord(record, self._clock() + life)
        self._remember(identifier, cached)
        return cached

    def _recall(self, identifier: str) -> _CachedRecord | None:
        return self._known.get(identifier) or self._without_record.get(identifier)

    def _remember(self, identifier: str, cached: _CachedRecord) -> None:
        kept, other = self._known, self._without_record
        if cached.record is None:
            kept, other = other, kept
        other.pop(identifier, None)
        kept[identifier] = cached
        kept.move_to_end(identifier)
        if len(kept) > CAPACITY:
            kept.popitem(last=False)

    def close(self) -> None:
        """Stop the threads."""
        self._threads.shutdown(wait=False)
