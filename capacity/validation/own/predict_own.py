"""Predictions of three load tests from two others, next to the results."""

from collections.abc import Mapping, Sequence
from typing import Any

from capacity.validation.own.calibrate_own import calibrate
from capacity.validation.own.closed_load_test import run_closed
from capacity.validation.own.load_tests import TESTS, LoadTest, images_of
from loadtest.workload.catalogue import Image

BOUND_PERCENT = 20.0
METRICS = ("requests_per_second", "p50_ms", "p95_ms")


def predict(measured: Mapping[str, Any]) -> dict[str, Any]:
    """Calibrate on the rows that may be known, then simulate all; a document for JSON.

    `measured` has `images` and, for each of TESTS in its order, a row in `tests`. Equal
    measurements give equal documents.
    """
    images, rows = images_of(measured["images"]), measured["tests"]
    known = [place for place, test in enumerate(TESTS) if test.calibrates]
    first, second = known
    calibration = calibrate(
        measured["idle"], rows[first], rows[second], (TESTS[first], TESTS[second]), images
    )
    compared = [
        _row(test, row, images, calibration.profile, calibration.delay_ms)
        for test, row in zip(TESTS, rows, strict=True)
    ]
    return {
        "bound_percent": BOUND_PERCENT,
        "rows": compared,
        "profile": calibration.values(),
        "delay_ms": calibration.delay_ms,
        "correction": calibration.correction,
        "measured": measured,
    }


def broken(run: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each promise that was not kept."""
    return [
        f"{row['test']}: {metric} is {row[metric]['error_percent']:+.1f} % off, more than "
        f"{run['bound_percent']:g} %"
        for row in run["rows"]
        for metric in METRICS
        if row[metric]["kept"] is False
    ]


def _row(
    test: LoadTest,
    measured: Mapping[str, Any],
    images: Sequence[Image],
    profile: Any,
    delay_ms: float,
) -> dict[str, Any]:
    seconds, rounds = measured["seconds"], measured["rounds"]
    run = run_closed(test, images, profile, delay_ms, seconds, rounds=rounds)
    predicted = {
        "requests_per_second": run.requests_per_second,
        "p50_ms": 1000 * run.times.p50,
        "p95_ms": 1000 * run.times.p95,
    }
    return {
        "test": test.name,
        "users": test.users,
        "calibrates": test.calibrates,
        "failures": {"predicted": run.failures, "measured": measured["failures"]},
        "server_cores": {
            "predicted": run.server_cores,
            "measured": measured["server_cpu_seconds"] / measured["elapsed_seconds"],
        },
        **{
            metric: _compared(predicted[metric], measured[metric], test.calibrates)
            for metric in METRICS
        },
    }


def _compared(predicted: float, measured: float, calibrates: bool) -> dict[str, Any]:
    error = 100 * (predicted / measured - 1)
    kept = None if calibrates else abs(error) <= BOUND_PERCENT
    return {
        "predicted": predicted,
        "measured": measured,
        "error_percent": error,
        "kept": kept,
    }
