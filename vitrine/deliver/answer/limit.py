"""The longest time in which an answer is made (`vitrine.settings.deliver`), and what it is for."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from vitrine.errors import DamagedAccessMaster, Unavailable

_TRIES = 5
_PAUSE_SECONDS = 1.0
"""After the first failure, and twice as long after each other."""
T = TypeVar("T")
logger = logging.getLogger(__name__)


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


async def try_patiently(make: Callable[[], Awaitable[T]], what: str) -> T:
    """Return the result of `make`: a moment without store or slot does not end a download.

    Raises what `make` does; Unavailable after some tries.
    """
    for number in range(_TRIES - 1):
        try:
            return await make()
        except DamagedAccessMaster:
            raise  # was fetched several times
        except Unavailable as error:
            logger.warning("%s is made again: %s", what, error)
            await asyncio.sleep(_PAUSE_SECONDS * 2**number)
    return await make()
