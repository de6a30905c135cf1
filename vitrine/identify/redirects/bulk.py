"""Many reads and writes at once: bounded in number and memory, patient with throttling."""

import random
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import Any, Self, TypeVar

from vitrine.errors import TransientError
from vitrine.ports import EventBus

BATCH = 100
"""Identifiers in one read: as many as BatchGetItem takes."""
THREADS = 16
PAUSES = (0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
"""Seconds between attempts at a throttled call, in addition to the client's own; half of each is
random. A table that is written to for the first time scales up within minutes."""

T = TypeVar("T")
R = TypeVar("R")


class Workers:
    """Threads that process a stream."""

    def __init__(self, threads: int = THREADS, wait: Callable[[float], None] = time.sleep) -> None:
        self._threads = threads
        self._wait = wait
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="bulk")

    def map(self, work: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """Yield the results in the order of `items`, which are read only as fast as processed.

        Raises what `work` raises; TransientError only after retrying for half a minute.
        """
        under_way: deque[Future[R]] = deque()
        for item in items:
            under_way.append(self._pool.submit(self._retry_work, work, item))
            if len(under_way) >= 4 * self._threads:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()

    def _retry_work(self, work: Callable[[T], R], item: T) -> R:
        for pause in PAUSES:
            try:
                return work(item)
            except TransientError:
                self._wait(random.uniform(pause / 2, pause))
        return work(item)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._pool.shutdown(cancel_futures=True)


class GatheredEvents:
    """A bus that sends the events of first changes in tens, the rest when the `with` block ends.

    Those events are not urgent: an identifier that never answered before is in no cache. Later
    changes are sent at once, so a process that is killed leaves at most one of them per thread
    unsent.
    """

    AT_ONCE = 10

    def __init__(self, bus: EventBus) -> None:
        self._bus = bus
        self._lock = Lock()
        self._at_once = self.AT_ONCE
        self._waiting: dict[str, list[Mapping[str, Any]]] = {}

    def publish(self, detail_type: str, detail: Mapping[str, Any]) -> None:
        """Keep the event of a first change until ten can be sent; send any other at once."""
        if detail.get("revision") == 1:
            self.publish_many(detail_type, [detail])
        else:
            self._bus.publish(detail_type, detail)

    def publish_many(self, detail_type: str, details: Iterable[Mapping[str, Any]]) -> None:
        """Keep events until ten can be sent. Raises TransientError; then all of them are kept."""
        with self._lock:
            waiting = self._waiting.setdefault(detail_type, [])
            waiting.extend(details)
            full = waiting[:] if len(waiting) >= self._at_once else []
            del waiting[: len(full)]
        self._send_events(detail_type, full)

    def _send_events(self, detail_type: str, details: list[Mapping[str, Any]]) -> None:
        if not details:
            return
        try:
            self._bus.publish_many(detail_type, details)
        except TransientError:
            with self._lock:
                self._waiting[detail_type].extend(details)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._at_once = 1  # a thread that is still at work sends each event from now on
        for detail_type in list(self._waiting):
            self.publish_many(detail_type, [])
