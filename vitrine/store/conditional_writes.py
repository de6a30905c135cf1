"""Conditional writes: read, decide, and write on condition that nobody changed what was read."""

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from vitrine.errors import PreconditionFailed, TransientError

Written = TypeVar("Written")
ATTEMPTS = 20
"""Tries of one write: of several at once, one succeeds each time, and more than this is a fault."""


def retry_if_changed(write: Callable[[], Written], what: str) -> Written:
    """Return what `write` returns, called again whenever it raises PreconditionFailed.

    It reads, decides and writes each time. Raises TransientError, which says that `what` is being
    changed, if others keep changing it; and whatever else `write` raises.
    """
    for _ in range(ATTEMPTS):
        with suppress(PreconditionFailed):
            return write()
    raise TransientError(f"{what} is being changed by others at the same time; try again.")
