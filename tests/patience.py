"""How long tests wait for what must come: a busy machine may take its time."""

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

SECONDS = 600.0
"""Only for what never comes: no test passes or fails by how fast a machine is."""
_NEVER = "it does not come about"
T = TypeVar("T")


def until(look: Callable[[], T | None], never: str = _NEVER, *, pause: float = 0.2) -> T:
    """Look until it is there, or true, and return it. Raises AssertionError if it never is."""
    deadline = time.monotonic() + SECONDS
    while not (found := look()):
        assert time.monotonic() < deadline, never
        time.sleep(pause)
    return found


async def until_in_loop(look: Callable[[], T | None], never: str = _NEVER) -> T:
    """As `until`, while the other tasks of the event loop go on."""
    deadline = time.monotonic() + SECONDS
    while not (found := look()):
        assert time.monotonic() < deadline, never
        await asyncio.sleep(0.001)
    return found
