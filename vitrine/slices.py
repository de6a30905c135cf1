"""Long work in batches, and in slices: what one run does of it, before the next one goes on."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def split_batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of `size` items; the last may be shorter."""
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        yield batch


@dataclass(frozen=True)
class Slice:
    """The time that one run has for long work."""

    milliseconds_left: Callable[[], float]
    """Time until the run has to end, as the context of a Lambda says it."""
    reserve_milliseconds: float = 0
    """Enough for one more step, and to hand on what is left."""

    def has_time(self) -> bool:
        """Return True if another step may begin."""
        return self.milliseconds_left() > self.reserve_milliseconds

    def seconds_left(self) -> float:
        """Return the time in which steps may begin, at least 0."""
        return max(self.milliseconds_left() - self.reserve_milliseconds, 0) / 1_000

    def batches(self, items: Iterable[T], size: int) -> Iterator[list[T]]:
        """Yield the items in lists of at most `size`, while there is time."""
        remaining = iter(items)
        while self.has_time() and (batch := list(islice(remaining, size))):
            yield batch


WHOLE = Slice(lambda: math.inf)
"""All of the work in one run."""
