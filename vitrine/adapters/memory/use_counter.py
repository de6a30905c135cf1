"""Counters in memory."""

from collections import Counter
from threading import Lock


class MemoryUseCounter:
    """A dictionary; nothing expires."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._lock = Lock()

    def add(self, name: str, *, expires: int) -> int:
        with self._lock:
            self._counts[name] += 1
            return self._counts[name]
