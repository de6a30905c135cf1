"""A lane of reads from the identifiers table: names that wait together are read together."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from typing import NamedTuple

from vitrine.deliver.metrics.counters import Counters
from vitrine.errors import RecordDamaged, Unavailable
from vitrine.identify.canary import CANARY_IDENTIFIER
from vitrine.ports import IdentifierTable
from vitrine.records import Record

BATCH = 99
"""Names in one read: BatchGetItem takes 100 keys, and the canary's is one of them."""


class Reading(NamedTuple):
    """What the table says of one name."""

    record: Record | RecordDamaged | None
    began: float
    """Start of the read, by the clock of the lookup: the record is not older."""
    is_whole: bool
    """False if the table has lost its canary: that it has no record then means nothing."""


class ReadLane:
    """Reads names in the order of their arrival, as many at a time as wait.

    With `threads` reads under way, up to `capacity` names wait. Belongs to one event loop.
    """

    def __init__(
        self,
        table: IdentifierTable,
        name: str,
        *,
        threads: int,
        capacity: int,
        clock: Callable[[], float],
        counters: Counters | None = None,
    ) -> None:
        self._table = table
        self._capacity = capacity
        self._clock = clock
        self._counters = counters or Counters()
        self._idle = threads
        self._waiting: OrderedDict[str, asyncio.Future[Reading]] = OrderedDict()
        self._under_way: dict[asyncio.Future[dict[str, Reading]], float] = {}
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=f"lookup-{name}")

    async def read(self, identifier: str) -> Reading:
        """Read a name that no other caller waits for. Raises ServiceFailed, Unavailable.

        A caller that is cancelled takes the name out of the queue.
        """
        if len(self._waiting) >= self._capacity:
            raise Unavailable("too many unknown identifiers are being looked up: try again")
        future: asyncio.Future[Reading] = asyncio.get_running_loop().create_future()
        self._waiting[identifier] = future
        self._start_reads()
        try:
            return await future
        finally:
            if self._waiting.get(identifier) is future:
                del self._waiting[identifier]

    def is_silent(self, seconds: float) -> bool:
        """Return True if a read has been under way for `seconds`."""
        limit = asyncio.get_running_loop().time() - seconds
        return any(began < limit for began in self._under_way.values())

    def close(self) -> None:
        """Stop the threads."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _start_reads(self) -> None:
        loop = asyncio.get_running_loop()
        while self._idle and self._waiting:
            batch = dict(islice(self._waiting.items(), BATCH))
            for name in batch:
                del self._waiting[name]
            self._idle -= 1
            self._counters.count("identifier_queries_total")
            self._counters.count("identifier_reads_total", len(batch))
            reads = loop.run_in_executor(self._threads, self._read_batch, list(batch))
            self._under_way[reads] = loop.time()
            reads.add_done_callback(partial(self._end_read, batch))

    def _read_batch(self, names: list[str]) -> dict[str, Reading]:
        began = self._clock()
        records = self._table.get_many([*names, CANARY_IDENTIFIER], consistent=True)
        is_whole = CANARY_IDENTIFIER in records
        return {name: Reading(records.get(name), began, is_whole) for name in names}

    def _end_read(
        self,
        batch: dict[str, asyncio.Future[Reading]],
        done: asyncio.Future[dict[str, Reading]],
    ) -> None:
        del self._under_way[done]
        self._idle += 1
        if done.cancelled():  # the lane was closed
            return
        error = done.exception()
        for name, future in batch.items():
            if future.done():  # its caller has left
                continue
            if error:
                future.set_exception(error)
            else:
                future.set_result(done.result()[name])
        self._start_reads()
