"""What an identifier answers, asked of the table at most once per lifetime."""

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from vitrine.deliver.flight import SingleFlight
from vitrine.errors import MasterRejected, TransientError, Unavailable
from vitrine.identify.decide import Decision, Unknown, decide
from vitrine.identify.identifier import normalise_identifier
from vitrine.identify.record import Live, Record, Redirect
from vitrine.ports import IdentifierTable

UNKNOWN_SECONDS = 2.0
"""An unknown identifier may be published any moment; a known one changes rarely."""
STALE_SECONDS = 600.0
"""How long an expired record may still answer while the table is unreachable."""
CAPACITY = 10_000

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
        record = await self._record(name)
        target = await self._record(record.target) if isinstance(record, Redirect) else None
        return decide(record, target)

    async def _record(self, identifier: str) -> Record | None:
        known = self._known.get(identifier)
        if known and self._clock() < known.expires:
            return known.record
        try:
            return await self._flights.run(identifier, lambda: self._ask(identifier))
        except TransientError as error:
            logger.warning("identifiers table: %s", error)
            if known and self._clock() < known.expires + STALE_SECONDS:
                return known.record
            raise Unavailable("the table of identifiers does not answer") from error

    async def _ask(self, identifier: str) -> Record | None:
        loop = asyncio.get_running_loop()
        record = await loop.run_in_executor(self._threads, self._table.get, identifier)
        life = self._ttl if record else min(self._ttl, UNKNOWN_SECONDS)
        self._known[identifier] = _Known(record, self._clock() + life)
        self._known.move_to_end(identifier)
        if len(self._known) > CAPACITY:
            self._known.popitem(last=False)
        return record

    def close(self) -> None:
        """Let go of the threads."""
        self._threads.shutdown(wait=False)
