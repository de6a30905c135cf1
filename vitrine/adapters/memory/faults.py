"""Adapters that fail or are slow: wrap any port in them.

`Breaking(store, times=2)` raises TransientError on the first two calls of any method and then
works, with `every=10` on every tenth call; `Slow(store, seconds=0.1)` waits before every call;
`Short(store, times=1)` returns only half of the first read.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any

from vitrine.errors import TransientError
from vitrine.ports import ObjectPart


class _SelectedCalls:
    """Counts calls, and selects the first `times` and every `every`-th."""

    def __init__(self, times: int, every: int) -> None:
        self._times = times
        self._every = every
        self._calls = 0

    def next(self) -> bool:
        """Count a call; return True if it is selected."""
        self._calls += 1
        return self._calls <= self._times or bool(self._every and self._calls % self._every == 0)


class Breaking:
    """The first `times` calls fail, and every `every`-th; with `methods`, only calls of those."""

    def __init__(
        self, port: Any, *, times: int = 0, every: int = 0, methods: frozenset[str] = frozenset()
    ) -> None:
        self._port = port
        self._selected = _SelectedCalls(times, every)
        self._methods = methods

    def fail_next(self, calls: int) -> None:
        """Let the next `calls` calls fail, and none after them."""
        self._selected = _SelectedCalls(calls, 0)

    def __getattr__(self, name: str) -> Any:
        def before() -> None:
            if (not self._methods or name in self._methods) and self._selected.next():
                raise TransientError(f"The call of {name} fails on purpose.")

        return _run_before(getattr(self._port, name), before)


class Slow:
    """Every call waits `seconds` first."""

    def __init__(self, port: Any, *, seconds: float) -> None:
        self._port = port
        self._seconds = seconds

    def __getattr__(self, name: str) -> Any:
        return _run_before(getattr(self._port, name), lambda: time.sleep(self._seconds))


class Short:
    """An object store whose first `times` reads, and every `every`-th, end half-way."""

    def __init__(self, store: Any, *, times: int = 0, every: int = 0) -> None:
        self._store = store
        self._selected = _SelectedCalls(times, every)

    def read(self, *arguments: Any, **named: Any) -> ObjectPart:
        part: ObjectPart = self._store.read(*arguments, **named)
        return (
            replace(part, data=part.data[: len(part.data) // 2]) if self._selected.next() else part
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


def _run_before(method: Callable[..., Any], before: Callable[[], None]) -> Callable[..., Any]:
    @wraps(method)
    def call(*arguments: Any, **named: Any) -> Any:
        before()
        return method(*arguments, **named)

    return call
