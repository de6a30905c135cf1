"""How long tests wait for what must come: a busy machine may take its time."""

import asyncio
import time
from collections.abc import Callable

SECONDS = 300.0
"""Only for what never comes: no test passes or fails by how fast a machine is."""


def until(holds: Callable[[], object], what: str = "it does not come about") -> None:
    """Wait until it holds. Raises AssertionError with `what` once nobody would wait longer."""
    deadline = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


async def until_in_loop(holds: Callable[[], object], what: str = "it does not come about") -> None:
    """As `until`, while the other tasks of the event loop go on."""
    deadline = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < deadline, what
        await asyncio.sleep(0.005)
