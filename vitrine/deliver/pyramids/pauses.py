"""Growing pauses between the attempts to read again what was faulty."""

from collections.abc import Callable

FIRST_SECONDS, MAX_SECONDS = 0.5, 60.0
_MAX_KEYS = 1024


class Pauses:
    """How long each key is left alone after a fault: twice as long after each further one."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._until: dict[str, tuple[float, float]] = {}

    def allow(self, key: str) -> bool:
        """Return True if the key may be read now."""
        until, _ = self._until.get(key, (0.0, 0.0))
        return self._clock() >= until

    def lengthen(self, key: str) -> None:
        """Note a fault."""
        if len(self._until) >= _MAX_KEYS:
            self._until.clear()
        _, before = self._until.get(key, (0.0, 0.0))
        seconds = min(2 * before, MAX_SECONDS) or FIRST_SECONDS
        self._until[key] = self._clock() + seconds, seconds

    def end(self, key: str) -> None:
        """Note that the key was read without a fault."""
        self._until.pop(key, None)
