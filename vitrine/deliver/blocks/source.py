"""Ranged reads from a store that may stall, fail or send less than was asked."""

import asyncio
import logging
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import TypeVar

from vitrine.deliver.blocks.read_slots import ReadSlots
from vitrine.deliver.metrics.counters import Counters
from vitrine.errors import (
    ObjectMissing,
    PreconditionFailed,
    Replaced,
    ServiceRefused,
    TransientError,
    Unavailable,
)
from vitrine.ports import ObjectInfo, ObjectPart, RangedStore

CONNECTIONS = 24
"""Reads at a time: S3 gives each about 85 MB/s and answers 5,500 per second and prefix."""

_THREADS = 2 * CONNECTIONS
"""More than reads: one that was given up may hold its thread until the adapter's timeout."""

_HEADS = 2
_ATTEMPTS_SECONDS = (3.0, 6.0, 10.0)
"""Timeout of each attempt: a connection that stalls is common, a slow store is not."""

_PAUSES_SECONDS = (0.05, 0.3)
"""Pauses between the attempts, up to half longer or shorter, so that retries do not coincide."""

T = TypeVar("T")
logger = logging.getLogger(__name__)


class RangeSource:
    """Reads a store from an event loop: few at a time, each with a deadline, tried again."""

    def __init__(
        self,
        store: RangedStore,
        *,
        connections: int = CONNECTIONS,
        attempts_seconds: tuple[float, ...] = _ATTEMPTS_SECONDS,
        pauses_seconds: tuple[float, ...] = _PAUSES_SECONDS,
        counters: Counters | None = None,
        note_read: Callable[[int], None] = lambda length: None,
    ) -> None:
        self._store = store
        self._note_read = note_read
        self.counters = counters or Counters()
        self._attempts = attempts_seconds
        self._pauses = pauses_seconds
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="read")
        # Threads of their own: comparing ETags never delays a read.
        self._head_threads = ThreadPoolExecutor(_HEADS, thread_name_prefix="head")
        self._head_slot = asyncio.Semaphore(_HEADS)
        self.slots = ReadSlots(connections)
        """Held from the reservation of disk until the bytes are written: bounds memory as well."""

    async def read(self, key: str, start: int, length: int, if_etag: str = "") -> ObjectPart:
        """Read as `RangedStore.read` does; return all requested bytes that the object has.

        Raises Replaced when the object has another ETag, Unavailable.
        """
        work = partial(self._store.read, key, start, length, if_etag=if_etag)
        for seconds, pause in zip(self._attempts, (*self._pauses, None), strict=True):
            try:
                self.counters.count("store_requests_total", what="read")
                part = await self._run_in_thread(self._threads, work, seconds)
                self.counters.count("store_bytes_total", len(part.data))
                self._note_read(len(part.data))
                return _check_part(part, start, length, if_etag)
            except PreconditionFailed as error:
                raise Replaced(key) from error
            except ObjectMissing as error:
                raise Unavailable("the access master is missing") from error
            except (TransientError, ServiceRefused, TimeoutError) as error:
                logger.warning("%s could not be read at byte %d: %r", key, start, error)
                if pause is None or isinstance(error, ServiceRefused):
                    self.counters.count("store_failures_total")
                    raise Unavailable("the access master cannot be fetched now") from error
                self.counters.count("store_retries_total")
                await asyncio.sleep(pause * random.uniform(0.5, 1.5))
        raise AssertionError

    async def head(self, key: str) -> ObjectInfo:
        """Return the object's metadata. Raises ObjectMissing, ServiceFailed."""
        work, seconds = partial(self._store.head, key), self._attempts[-1]
        self.counters.count("store_requests_total", what="head")
        try:
            async with self._head_slot:
                return await self._run_in_thread(self._head_threads, work, seconds)
        except TimeoutError as error:
            raise TransientError(f"{key}: no answer in {seconds} s") from error

    async def _run_in_thread(
        self, threads: ThreadPoolExecutor, work: Callable[[], T], seconds: float
    ) -> T:
        # The trace of the request goes with it.
        run = copy_context().run
        future = asyncio.get_running_loop().run_in_executor(threads, run, work)
        return await asyncio.wait_for(future, seconds)

    def close(self) -> None:
        """Stop the threads."""
        for threads in (self._threads, self._head_threads):
            threads.shutdown(wait=False, cancel_futures=True)


def _check_part(part: ObjectPart, start: int, length: int, if_etag: str) -> ObjectPart:
    if if_etag and part.etag != if_etag:
        raise PreconditionFailed(part.etag)
    expected = max(0, min(length, part.size - start))
    if len(part.data) != expected:
        raise TransientError(f"{len(part.data)} bytes, {expected} expected")
    return part
