"""Single flight: however many ask for the same thing at once, it is done once."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class SingleFlight(Generic[T]):
    """Joins callers that ask under the same key while an answer is on its way."""

    def __init__(self) -> None:
        self._flights: dict[str, asyncio.Task[T]] = {}

    async def run(self, key: str, work: Callable[[], Awaitable[T]]) -> T:
        """The result of `work`, or of the flight under way; its error reaches every caller.

        A caller that goes away does not end the flight for the others.
        """
        task = self._flights.get(key)
        if task is None:
            task = asyncio.ensure_future(self._fly(key, work))
            task.add_done_callback(_seen)
            self._flights[key] = task
        return await asyncio.shield(task)

    async def _fly(self, key: str, work: Callable[[], Awaitable[T]]) -> T:
        try:
            return await work()
        finally:
            del self._flights[key]


def _seen(task: "asyncio.Task[Any]") -> None:
    """Its error is nobody's fault once nobody waits for it any more."""
    if not task.cancelled():
        task.exception()


class SharedFlight(Generic[T]):
    """A single flight that ends when the last of those who wait for it has gone."""

    def __init__(self) -> None:
        self._flights: dict[str, asyncio.Task[T]] = {}
        self._waiting: Counter[str] = Counter()

    async def run(self, key: str, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The result of `work`, or of the flight under way; its error reaches every caller."""
        task = self._flights.get(key)
        if task is None:
            task = asyncio.get_running_loop().create_task(work())
            self._flights[key] = task
        self._waiting[key] += 1
        try:
            return await asyncio.shield(task)
        finally:
            self._waiting[key] -= 1
            if not self._waiting[key]:
                del self._flights[key], self._waiting[key]
                task.cancel()
