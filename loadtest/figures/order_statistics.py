"""The one definition of a median and of a percentile."""

import statistics
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike


def median(values: Iterable[float]) -> float:
    """Return the middle of the values, or the mean of both. Raises StatisticsError without any."""
    return statistics.median(values)


def rounded_median(values: Iterable[float | None]) -> float | None:
    """Return the median of those that are not None, to four digits; None if all are."""
    numbers = [value for value in values if value is not None]
    return round(median(numbers), 4) if numbers else None


def percentile(values: ArrayLike, percent: float) -> float:
    """Return the nearest rank: the least value that `percent` of all are not above.

    Raises IndexError without values.
    """
    return float(np.percentile(np.asarray(values, np.float64), percent, method="inverted_cdf"))
