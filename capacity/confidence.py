"""Means of replications with Student's t intervals."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean, stdev


@dataclass(frozen=True)
class Interval:
    """A mean and half the width of its confidence interval."""

    mean: float
    half_width: float
    samples: int

    @property
    def low(self) -> float:
        """Lower bound."""
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        """Upper bound."""
        return self.mean + self.half_width

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


def interval(samples: Sequence[float], confidence: float = 0.9) -> Interval:
    """The interval for the mean of independent samples.

    Raises ValueError for fewer than two, which say nothing about their spread.
    """
    if len(samples) < 2:
        raise ValueError("a confidence interval needs at least two replications")
    error = stdev(samples) / math.sqrt(len(samples))
    return Interval(fmean(samples), student_t(confidence, len(samples) - 1) * error, len(samples))


@lru_cache
def student_t(confidence: float, degrees: int) -> float:
    """The two-sided quantile: what |t| stays below with this probability."""
    low, high = 0.0, 1e6
    while high - low > 1e-12 * max(1.0, high):
        middle = (low + high) / 2
        if _within(middle, degrees) < confidence:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _within(t: float, degrees: int) -> float:
    """P(|T| < t): the finite series of Abramowitz and Stegun, 26.7.3 and 26.7.4."""
    angle = math.atan(t / math.sqrt(degrees))
    cosine_squared = math.cos(angle) ** 2
    odd = degrees % 2
    term = math.cos(angle) if odd else 1.0
    total = 0.0
    for step in range(odd, degrees - 1, 2):
        total += term
        term *= cosine_squared * (step + 1) / (step + 2)
    series = math.sin(angle) * total
    return 2 / math.pi * (angle + series) if odd else series
