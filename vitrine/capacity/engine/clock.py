"""Simulated time: whole nanoseconds, equal times in the order they were scheduled."""

from collections.abc import Callable
from typing import Any

import simpy

SECOND = 1_000_000_000
MILLISECOND = 1_000_000


def nanoseconds(seconds: float) -> int:
    """Seconds as whole nanoseconds; never negative, since delays drawn at random may be."""
    return max(0, round(seconds * SECOND))


class _Call(simpy.Event):
    """An event that calls one function: what a Timeout with a callback is, at two thirds of it."""

    def __init__(self, env: "Clock", action: Callable[[Any], object], subject: Any) -> None:
        self.env = env
        self.callbacks: list[Callable[[Any], Any]] = [action]
        self._ok = True
        self._value = subject


class Clock(simpy.Environment):
    """SimPy's environment on an integer clock, with plain calls beside processes.

    `now` is in nanoseconds. Processes yield `timeout(nanoseconds)` or an `event()`.
    """

    _now: int

    def __init__(self) -> None:
        super().__init__(initial_time=0)

    @property
    def now(self) -> int:
        """Nanoseconds since the start."""
        return self._now

    def after(self, delay: int, action: Callable[[Any], object], subject: Any = None) -> None:
        """Call `action` with an event whose `value` is `subject`, `delay` nanoseconds from now."""
        self.schedule(_Call(self, action, subject), delay=delay)
