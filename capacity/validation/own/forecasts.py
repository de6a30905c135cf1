"""A forecast of a load test: figures, each with the interval in which it is nine times of ten."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, hypot, log
from statistics import fmean, stdev

from capacity.confidence import student_t
from capacity.engine.streams import Streams, normal
from capacity.validation.own.calibrate_own import Calibration, scaled
from capacity.validation.own.closed_load_test import Closed, run_closed
from capacity.validation.own.load_tests import LoadTest
from loadtest.workload.catalogue import Image

METRICS = ("requests_per_second", "p50_ms", "p95_ms")
REPLICATIONS = 8
CONFIDENCE = 0.9


@dataclass(frozen=True)
class Discrepancy:
    """What the model misses where the truth is known, which no replication shows."""

    deviation: float
    """Standard deviation of the logarithm of predicted over measured, about zero."""
    tests: int
    """From how many it was estimated."""


@dataclass(frozen=True, kw_only=True)
class Forecast:
    """One figure."""

    value: float
    low: float
    high: float

    def as_json(self) -> dict[str, float]:
        return {"predicted": self.value, "low": self.low, "high": self.high}


def figures_of(run: Closed) -> dict[str, float]:
    """Return METRICS of a simulated test."""
    times = run.times
    return {
        "requests_per_second": run.requests_per_second,
        "p50_ms": 1000 * times.p50,
        "p95_ms": 1000 * times.p95,
    }


def speed_deviation(rounds: Sequence[Mapping[str, float]]) -> float:
    """Return by how much (of 1) the same requests cost more or less CPU from round to round."""
    costs = [one["cpu_ms"] for one in rounds]
    return stdev(costs) / fmean(costs) if len(costs) > 1 else 0.0


def replicate(
    test: LoadTest,
    images: Sequence[Image],
    calibration: Calibration,
    seconds: float,
    rounds: int,
    deviation: float,
    seed: int,
) -> dict[str, float]:
    """Simulate a test once, on a machine that is a little faster or slower each time."""
    speed = exp(normal(Streams(seed).stream("speed"), 0.0, deviation)) if deviation else 1.0
    profile = scaled(calibration.profile, speed)
    run = run_closed(test, images, profile, calibration.outside, seconds, rounds=rounds, seed=seed)
    return {
        **figures_of(run),
        "failures": run.failures,
        "server_cores": run.server_cores,
    }


def forecast(
    runs: Sequence[Mapping[str, float]], metric: str, discrepancy: Discrepancy
) -> Forecast:
    """Return the forecast of a figure from its replications and what the model misses.

    Both are taken to be normal in the logarithm. Each deviation is itself an estimate, so the
    interval is Student's with the degrees of freedom of their sum (Welch and Satterthwaite).
    """
    logarithms = [log(run[metric]) for run in runs]
    middle, spread = fmean(logarithms), stdev(logarithms)
    degrees = _degrees((spread, len(runs) - 1), (discrepancy.deviation, discrepancy.tests))
    half = student_t(CONFIDENCE, degrees) * hypot(spread, discrepancy.deviation)
    return Forecast(value=exp(middle), low=exp(middle - half), high=exp(middle + half))


def _degrees(*parts: tuple[float, int]) -> float:
    """Return the degrees of freedom of a sum of deviations, each with its own."""
    total = sum(deviation**2 for deviation, _ in parts)
    weights = sum(deviation**4 / degrees for deviation, degrees in parts)
    return total**2 / weights if weights else float(parts[0][1])
