"""What an identifier answers, asked of the table at most once per lifetime."""

import asyncio
import logging
import time
import unicodedata
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace

from vitrine.deliver.single_flight import SingleFlight
from vitrine.errors import MasterRejected, TransientError, Unavailable
from vitrine.identify.decide import LONGEST_CHAIN, Decision, Serve, Unknown, decide
from vitrine.identify.identifier import normalise_identifier
from vitrine.ports import IdentifierTable
from vitrine.records import Live, Record, Redirect

UNKNOWN_SECONDS = 2.0
"""An unknown identifier may be published any moment; a known one changes rarely."""
STALE_SECONDS = 600.0
"""How long an expired record may still answer while the table is unreachable."""
PATIENCE_SECONDS = 0.5
"""How long an expired record waits for the new one: a silent table must not hold up its viewers."""
CAPACITY = 10_000
"""Of records, and as many names that have none: who tries names at random displaces no image."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Known:
    record: Record | None
    expires: float


class RecordLookup:
    """Records of the identifiers table, remembered for `ttl_seconds`. One event loop's own."""

    def __init__(
        self,
        table: IdentifierTable,
        ttl_seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._table = table
        self._ttl = ttl_seconds
        self._clock = clock
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self._without_record: OrderedDict[str, _Known] = OrderedDict()
        self._flights: SingleFlight[Record | None] = SingleFlight()
        self._threads = ThreadPoolExecutor(8, thread_name_prefix="lookup")

    def live_now(self, identifier: str) -> Live | None:
        """The image of this very name, if that is known without asking anybody."""
        known = self._known.get(identifier)
        if known is None or self._clock() >= known.expires:
            return None
        return known.record if isinstance(known.record, Live) else None

    async def find(self, identifier: str) -> Decision:
        """The decision for an identifier as it stood in the address. Raises Unavailable."""
        try:
            name = normalise_identifier(identifier)
        except MasterRejected:
            return Unknown()
        decision, passed = await self._follow(name)
        if passed and isinstance(decision, Unknown):
            # A redirect that leads nowhere: perhaps what we remember of its way is out of date.
            for step in (name, *passed):
                self._distrust(step)
            decision, _ = await self._follow(name)
        return decision

    def stands(self, identifier: str, decision: Decision) -> bool:
        """Whether records say so whose lifetime is not over."""
        if isinstance(decision, Serve):
            return self.live_now(decision.image.identifier) == decision.image
        record = end = self._unexpired(unicodedata.normalize("NFC", identifier))
        for _ in range(LONGEST_CHAIN):
            end = self._unexpired(end.target) if isinstance(end, Redirect) else end
        return decide(record, end) == decision

    async def still_stands(self, identifier: str, decision: Decision) -> bool:
        """The same after some time; the table is asked again where a lifetime is over."""
        with suppress(Unavailable):
            await self.find(identifier)
        return self.stands(identifier, decision)

    def _unexpired(self, identifier: str) -> Record | None:
        known = self._recall(identifier)
        return known.record if known and self._clock() < known.expires else None

    async def _follow(self, name: str) -> tuple[Decision, list[str]]:
        """The decision, and the targets that were passed on the way to it."""
        record = end = await self._record(name)
        passed: list[str] = []
        while isinstance(end, Redirect) and len(passed) < LONGEST_CHAIN:
            passed.append(end.target)
            end = await self._record(end.target)
        return decide(record, end), passed

    def _distrust(self, identifier: str) -> None:
        """Let the table be asked again; while it does not answer, what is known still stands."""
        known = self._recall(identifier)
        if known:
            self._remember(identifier, replace(known, expires=min(known.expires, self._clock())))

    async def _record(self, identifier: str) -> Record | None:
        known = self._recall(identifier)
        if known and self._clock() < known.expires:
            return known.record
        bridge = known if known and self._clock() < known.expires + STALE_SECONDS else None
        flight = self._flights.run(identifier, lambda: self._ask(identifier))
        try:
            return await (asyncio.wait_for(flight, PATIENCE_SECONDS) if bridge else flight)
        except (TransientError, TimeoutError) as error:
            logger.warning("identifiers table: %s", error or "no answer yet")
            if bridge:
                return bridge.record
            raise Unavailable("the table of identifiers does not answer") from error

    async def _ask(self, identifier: str) -> Record | None:
        loop = asyncio.get_running_loop()
        record = await loop.run_in_executor(self._threads, self._table.get, identifier)
        life = self._ttl if record else min(self._ttl, UNKNOWN_SECONDS)
        self._remember(identifier, _Known(record, self._clock() + life))
        return record

    def _recall(self, identifier: str) -> _Known | None:
        return self._known.get(identifier) or self._without_record.get(identifier)

    def _remember(self, identifier: str, known: _Known) -> None:
        kept, other = self._known, self._without_record
        if known.record is None:
            kept, other = other, kept
        other.pop(identifier, None)
        kept[identifier] = known
        kept.move_to_end(identifier)
        if len(kept) > CAPACITY:
            kept.popitem(last=False)

    def close(self) -> None:
        """Let go of the threads."""
        self._threads.shutdown(wait=False)
