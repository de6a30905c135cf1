"""Means of replications with Student's t intervals."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean, stdev

from scipy.special import stdtrit


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


def confidence_interval(samples: Sequence[float], confidence: float = 0.9) -> Interval:
    """Return the interval for the mean of independent samples.

    Raise ValueError for fewer than two, which say nothing about their spread.
    """
    if len(samples) < 2:
        raise ValueError("a confidence interval needs at least two replications")
    error = stdev(samples) / math.sqrt(len(samples))
    return Interval(fmean(samples), student_t(confidence, len(samples) - 1) * error, len(samples))


@lru_cache
def student_t(confidence: float, degrees: float) -> float:
    """Return the two-sided quantile: what |t| stays below with this probability."""
    return float(stdtrit(degrees, (1 + confidence) / 2))
