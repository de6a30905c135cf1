"""Predictions of load tests drawn at random from two others, next to the results."""

from collections.abc import Mapping, Sequence
from math import log, sqrt
from statistics import fmean
from typing import Any

from capacity.replications import run_all
from capacity.validation.own.calibrate_own import Calibration, calibrate
from capacity.validation.own.drawn_tests import all_tests
from capacity.validation.own.forecasts import (
    METRICS,
    REPLICATIONS,
    Discrepancy,
    Forecast,
    forecast,
    replicate,
    speed_deviation,
)
from capacity.validation.own.load_tests import LoadTest, images_of
from loadtest.workload.catalogue import Image

BOUND_PERCENT = 20.0
KEPT_SHARE = 0.9
"""Of the predicted figures: within the bound, or inside their interval."""
JUDGED = ("p50_ms", "p95_ms")


def predict(measured: Mapping[str, Any], workers: int | None = None) -> dict[str, Any]:
    """Calibrate on the rows that may be known, then simulate all; a document for JSON.

    `measured` has `images` and, for each of `all_tests` in its order, a row in `tests`. Equal
    measurements give equal documents.
    """
    images, rows = images_of(measured["images"]), measured["tests"]
    tests = all_tests(measured["seed"], measured["drawn"], measured["gauging"])
    calibration = calibrate(measured["idle"], rows[0], rows[1], (tests[0], tests[1]), images)
    deviation = speed_deviation(rows[1]["each_round"])
    runs = _replicate_all(tests, rows, images, calibration, deviation, workers)
    known = [place for place, test in enumerate(tests) if test.purpose == "gauge"]
    discrepancies = {
        metric: _discrepancy([(runs[place], rows[place]) for place in known], metric)
        for metric in METRICS
    }
    compared = [
        _row(test, row, of_test, discrepancies)
        for test, row, of_test in zip(tests, rows, runs, strict=True)
    ]
    return {
        "bound_percent": BOUND_PERCENT,
        "rows": compared,
        **_coverage(compared),
        "profile": calibration.values(),
        "delay_ms": calibration.outside.delay_ms,
        "generator_ms": calibration.outside.generator_ms,
        "correction": calibration.correction,
        "speed_deviation": deviation,
        "discrepancies": {name: one.deviation for name, one in discrepancies.items()},
        "measured": measured,
    }


def broken(run: Mapping[str, Any]) -> list[str]:
    """Return a sentence if fewer figures than promised were predicted well."""
    kept, judged = run["kept"], run["judged"]
    if kept >= KEPT_SHARE * judged:
        return []
    missed = [
        f"{row['test']}: {metric} {row[metric]['error_percent']:+.0f} %"
        for row in run["rows"]
        for metric in JUDGED
        if row[metric]["kept"] is False
    ]
    return [
        f"{kept} of {judged} percentiles lie within {run['bound_percent']:g} % of the forecast or "
        f"inside its interval, fewer than nine of ten: {'; '.join(missed)}"
    ]


def _replicate_all(
    tests: Sequence[LoadTest],
    rows: Sequence[Mapping[str, Any]],
    images: Sequence[Image],
    calibration: Calibration,
    deviation: float,
    workers: int | None,
) -> list[list[dict[str, float]]]:
    tasks = [
        (
            replicate,
            (test, images, calibration, row["seconds"], row["rounds"], deviation, seed),
        )
        for test, row in zip(tests, rows, strict=True)
        for seed in range(1, REPLICATIONS + 1)
    ]
    results, _ = run_all(tasks, "simulating load tests", workers)
    return [results[place : place + REPLICATIONS] for place in range(0, len(results), REPLICATIONS)]


def _discrepancy(
    known: Sequence[tuple[Sequence[Mapping[str, float]], Mapping[str, Any]]], metric: str
) -> Discrepancy:
    """Root mean square of the logarithm of predicted over measured, where both may be known."""
    errors = [fmean(log(run[metric]) for run in runs) - log(row[metric]) for runs, row in known]
    return Discrepancy(sqrt(fmean(error**2 for error in errors)), len(errors))


def _coverage(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    figures = [row[metric] for row in rows if row["purpose"] == "judge" for metric in JUDGED]
    return {
        "judged": len(figures),
        "kept": sum(figure["kept"] for figure in figures),
        "within_bound": sum(abs(figure["error_percent"]) <= BOUND_PERCENT for figure in figures),
        "inside_interval": sum(figure["inside"] for figure in figures),
    }


def _row(
    test: LoadTest,
    measured: Mapping[str, Any],
    runs: Sequence[Mapping[str, float]],
    discrepancies: Mapping[str, Discrepancy],
) -> dict[str, Any]:
    return {
        "test": test.name,
        "users": test.users,
        "purpose": test.purpose,
        "failures": {
            "predicted": fmean(run["failures"] for run in runs),
            "measured": measured["failures"],
        },
        "server_cores": {
            "predicted": fmean(run["server_cores"] for run in runs),
            "measured": measured["server_cpu_seconds"] / measured["elapsed_seconds"],
        },
        **{
            metric: _compare(
                forecast(runs, metric, discrepancies[metric]),
                measured[metric],
                test.purpose == "judge",
            )
            for metric in METRICS
        },
    }


def _compare(predicted: Forecast, measured: float, judged: bool) -> dict[str, Any]:
    error = 100 * (predicted.value / measured - 1)
    inside = predicted.low <= measured <= predicted.high
    kept = abs(error) <= BOUND_PERCENT or inside if judged else None
    return {
        **predicted.as_json(),
        "measured": measured,
        "error_percent": error,
        "inside": inside,
        "kept": kept,
    }
