"""The longest time in which an answer is made (`vitrine.settings.deliver`)."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from vitrine.errors import Unavailable

T = TypeVar("T")


async def end_in_time(work: Awaitable[T], seconds: float) -> T:
    """Return the result of `work`, which is cancelled after `seconds`.

    Raises Unavailable then.
    """
    try:
        async with asyncio.timeout(seconds) as limit:
            return await work
    except TimeoutError:
        if not limit.expired():
            raise
        raise Unavailable(
            f"the answer was not made within {seconds:g} s: try again, or ask for a smaller image"
        ) from None
