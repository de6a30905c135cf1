"""Calls of many threads that are made together, so that one request answers all of them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")


@dataclass
class _Batch(Generic[T, R]):
    items: list[T] = field(default_factory=list)
    callers: int = 0
    results: list[R] = field(default_factory=list)
    """The result, once there is one."""
    has_failed: bool = False


class JoinedCalls(Generic[T, R]):
    """Makes one call after the other; each is for all who came while the one before was made.

    So what somebody gets was read, or is written, after they called. If a call for several fails,
    each of them makes its own, so that nobody fails by what another one asked for.
    """

    def __init__(self, make: Callable[[list[T]], R]) -> None:
        self._make = make
        self._lock, self._turn = Lock(), Lock()
        self._next = _Batch[T, R]()

    def __call__(self, items: Iterable[T] = ()) -> R:
        """Return the result for these items and those of others. Raises what `make` raises."""
        own = list(items)
        with self._lock:
            batch = self._next
            batch.items += own
            batch.callers += 1
        with self._turn:
            self._make_once(batch)
        return batch.results[0] if batch.results else self._make(own)

    def _make_once(self, batch: _Batch[T, R]) -> None:
        with self._lock:
            if batch is self._next:
                self._next = _Batch()
        if batch.results or batch.has_failed:
            return
        try:
            batch.results.append(self._make(batch.items))
        except Exception:
            if batch.callers == 1:
                raise
            batch.has_failed = True
