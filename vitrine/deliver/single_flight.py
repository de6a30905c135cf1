"""Single flight: work that many callers request at the same time is done once."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class SingleFlight(Generic[T]):
    """Joins callers that request the same key while the work for it is under way."""

    def __init__(self) -> None:
        self._flights: dict[str, asyncio.Task[T]] = {}

    async def run(self, key: str, work: Callable[[], Awaitable[T]]) -> T:
        """Return the result of `work`, or of the flight under way; an error reaches every caller.

        A caller that is cancelled does not end the flight for the others.
        """
        task = self._flights.get(key)
        if task is None:
            task = asyncio.ensure_future(self._fly(key, work))
            task.add_done_callback(_retrieve_error)
            self._flights[key] = task
        return await asyncio.shield(task)

    async def _fly(self, key: str, work: Callable[[], Awaitable[T]]) -> T:
        try:
            return await work()
        finally:
            del self._flights[key]


def _retrieve_error(task: "asyncio.Task[Any]") -> None:
    """Mark the error as retrieved, so that asyncio does not log it if every caller has left."""
    if not task.cancelled():
        task.exception()


class SharedFlight(Generic[T]):
    """A single flight that is cancelled when the last caller has left."""

    def __init__(self) -> None:
        self._flights: dict[str, asyncio.Task[T]] = {}
        self._waiting: Counter[str] = Counter()

    async def run(self, key: str, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return the result of `work` or of the flight under way; errors reach every caller."""
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
