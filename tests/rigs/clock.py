"""A clock that a test moves."""

from dataclasses import dataclass


@dataclass
class Clock:
    """A clock that moves only when a test sets it."""

    now: float = 0.0
    """Seconds since any moment."""

    def __call__(self) -> float:
        return self.now
