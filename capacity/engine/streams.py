"""Random numbers: one named stream per source, so that no source disturbs another's draws."""

import math
import random
from bisect import bisect
from collections.abc import Callable, Sequence
from itertools import accumulate
from statistics import NormalDist
from typing import TypeVar

_NORMAL = NormalDist()
_Choice = TypeVar("_Choice")


class Streams:
    """Hands out independent streams for a seed.

    A stream depends on the seed and its name only: not on the hash seed, nor on the order in
    which streams are asked for.
    """

    def __init__(self, seed: int | str) -> None:
        self.seed = seed

    def stream(self, name: str) -> random.Random:
        """Return the stream of one source."""
        return random.Random(f"{self.seed}/{name}")


# All draws use `Random.random` alone, the one method whose sequence Python promises to keep.


def draw_exponential(stream: random.Random, mean: float) -> float:
    """Draw from the exponential distribution with this mean."""
    return -mean * math.log(1.0 - stream.random())


def draw_normal(stream: random.Random, mean: float, deviation: float) -> float:
    """Draw from the normal distribution, by inversion."""
    return mean + deviation * _NORMAL.inv_cdf(stream.random() or 0.5)


def draw_uniform(stream: random.Random, low: float, high: float) -> float:
    """Draw between two bounds."""
    return low + (high - low) * stream.random()


def make_chooser(
    choices: Sequence[_Choice], weights: Sequence[float]
) -> Callable[[random.Random], _Choice]:
    """Return a function that draws one of `choices`, each in proportion to its weight."""
    bounds = list(accumulate(weights))
    total, last = bounds[-1], len(choices) - 1
    return lambda stream: choices[min(last, bisect(bounds, stream.random() * total))]
