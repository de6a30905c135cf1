"""Single flight: however many ask for the same thing at once, it is done once."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

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
            self._flights[key] = task
        return await asyncio.shield(task)

    async def _fly(self, key: str, work: Callable[[], Awaitable[T]]) -> T:
        try:
            return await work()
        finally:
            del self._flights[key]
