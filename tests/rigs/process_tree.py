"""The processes that a process started."""

from collections.abc import Iterable
from contextlib import suppress

import psutil


def tree(roots: Iterable[int]) -> list[int]:
    """Return `roots` and all their living descendants, by their numbers."""
    found = []
    for root in roots:
        with suppress(psutil.NoSuchProcess):
            found += [root, *(child.pid for child in psutil.Process(root).children(recursive=True))]
    return found
