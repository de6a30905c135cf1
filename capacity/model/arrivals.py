"""When visits begin: a day's curve, and a Poisson process that follows it."""

from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from itertools import accumulate
from math import cos, exp, fsum, tau
from random import Random

from capacity.engine.streams import draw_exponential
from capacity.model.design import Traffic

_MINUTES = 1_440
_NOON = _MINUTES // 2
"""The busiest moment, in minutes of the day: the hour has no meaning, only its distance."""
_STEEPEST = 200.0
_BISECTIONS = 60


@cache
def day_curve(peak_factor: float) -> tuple[float, ...]:
    """Share of a day's visits that begin in each minute.

    The exponential of a cosine (von Mises), as steep as makes the busiest hour have `peak_factor`
    times the visits of a mean one.
    """
    low, high = 0.0, _STEEPEST
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if _peak_factor(_von_mises(middle)) < peak_factor:
            low = middle
        else:
            high = middle
    return _von_mises(low if peak_factor > 1 else 0.0)


def visits_per_second(traffic: Traffic, second: float) -> float:
    """Expected at this many seconds after the beginning of the stretch that is simulated."""
    first = _NOON - traffic.hours * 30
    minute = int((first + second / 60) % _MINUTES)
    return traffic.visits_per_day * day_curve(traffic.peak_factor)[minute] / 60


def visit_times(traffic: Traffic, stream: Random) -> Iterator[float]:
    """Seconds at which visits begin, ascending, until the stretch's end."""
    minutes = -(-traffic.hours * 60 // 1)
    rates = [visits_per_second(traffic, 60 * minute) for minute in range(int(minutes))]
    sums = list(accumulate((60 * rate for rate in rates), initial=0.0))
    expected, end = 0.0, traffic.hours * 3600
    while True:
        expected += draw_exponential(stream, 1.0)
        minute = bisect_right(sums, expected) - 1
        if minute >= len(rates):
            return
        second = 60 * minute + (expected - sums[minute]) / rates[minute]
        if second >= end:
            return
        yield second


def _von_mises(steepness: float) -> tuple[float, ...]:
    weights = [
        exp(steepness * (cos(tau * (minute + 0.5 - _NOON) / _MINUTES) - 1))
        for minute in range(_MINUTES)
    ]
    total = fsum(weights)
    return tuple(weight / total for weight in weights)


def _peak_factor(shares: tuple[float, ...]) -> float:
    return 24 * fsum(shares[_NOON - 30 : _NOON + 30])
