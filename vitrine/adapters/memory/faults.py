"""Adapters that break or dawdle: wrap any port in them.

`Breaking(store, times=2)` raises TransientError on the first two calls of any method and then
works; `Slow(store, seconds=0.1)` waits before every call.
"""

import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from vitrine.errors import TransientError


class Breaking:
    """The first `times` calls fail; with `methods`, only calls of those count and fail."""

    def __init__(self, port: Any, *, times: int, methods: frozenset[str] = frozenset()) -> None:
        self._port = port
        self._left = times
        self._methods = methods

    def __getattr__(self, name: str) -> Any:
        def before() -> None:
            if self._left and (not self._methods or name in self._methods):
                self._left -= 1
                raise TransientError(f"{name}: broken on purpose, {self._left} more")

        return _preceded(getattr(self._port, name), before)


class Slow:
    """Every call waits `seconds` first."""

    def __init__(self, port: Any, *, seconds: float) -> None:
        self._port = port
        self._seconds = seconds

    def __getattr__(self, name: str) -> Any:
        return _preceded(getattr(self._port, name), lambda: time.sleep(self._seconds))


def _preceded(method: Callable[..., Any], before: Callable[[], None]) -> Callable[..., Any]:
    @wraps(method)
    def call(*arguments: Any, **named: Any) -> Any:
        before()
        return method(*arguments, **named)

    return call
