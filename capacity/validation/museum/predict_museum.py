"""Predictions for 100 and 1,000 connections from the 10-connection tables, next to the results."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from capacity.confidence import confidence_interval
from capacity.replications import run_all
from capacity.validation.museum.calibrate_museum import calibrate
from capacity.validation.museum.modelled_rigs import MODEL, SETUPS
from capacity.validation.museum.museum_model import ModelledRig, MuseumWorkload, simulate_museum
from capacity.validation.museum.museum_tables import (
    CONNECTIONS,
    MASTERS,
    SECONDS,
    LocustTable,
    table,
)

CALIBRATED = CONNECTIONS[0]
CONFIDENCE = 0.9


def predict(
    replications: int, seed: int, workers: int | None = None, seconds: float = SECONDS
) -> dict[str, Any]:
    """Calibrate every rig, then simulate all tables; a document for JSON.

    Equal arguments give equal documents, but for `speed`.
    """
    rigs = [
        (server, variant, rig)
        for server, setup in SETUPS.items()
        for variant, rig in {MODEL: setup.rig, **setup.variants}.items()
    ]
    calibrations = [
        (calibrate, (table(server, CALIBRATED), rig, SETUPS[server].statistic, seed, seconds))
        for server, _, rig in rigs
    ]
    workloads, calibrating = run_all(calibrations, "Calibrating", workers)
    tests = [
        (server, variant, connections, rig, workload)
        for (server, variant, rig), workload in zip(rigs, workloads, strict=True)
        for connections in CONNECTIONS
    ]
    runs = [
        (_attempt_rate, (server, connections, rig, workload, f"{seed}/{number}", seconds))
        for server, _, connections, rig, workload in tests
        for number in range(replications)
    ]
    measured, predicting = run_all(runs, "Predicting", workers)
    rows = [
        _prediction_row(
            server, variant, connections, measured[start * replications :][:replications]
        )
        for start, (server, variant, connections, _, _) in enumerate(tests)
    ]
    requests = sum(round(rate * seconds) for rate, _ in measured)
    return {
        "seed": seed,
        "replications": replications,
        "confidence": CONFIDENCE,
        "calibrations": [
            _calibration_json(server, variant, rig, workload)
            for (server, variant, rig), workload in zip(rigs, workloads, strict=True)
        ],
        "rows": rows,
        "speed": {
            "requests": requests,
            "cpu_seconds": round(calibrating + predicting, 1),
            "requests_per_cpu_second": round(requests / predicting),
        },
    }


def even_users(connections: int) -> dict[str, int]:
    """Users on each list of masters before anything is known: a third each."""
    share, rest = divmod(connections, len(MASTERS))
    return {name: share + (place < rest) for place, name in enumerate(MASTERS)}


def _attempt_rate(
    server: str,
    connections: int,
    rig: ModelledRig,
    workload: MuseumWorkload,
    seed: str,
    seconds: float,
) -> tuple[float, float]:
    calibrated = connections == CALIBRATED
    users = table(server, CALIBRATED).users() if calibrated else even_users(connections)
    tally = simulate_museum(rig, workload, users, seed, seconds)
    return tally.attempts_per_second, tally.average_ms


def _prediction_row(
    server: str, variant: str, connections: int, runs: list[tuple[float, float]]
) -> dict[str, Any]:
    measured, setup = table(server, connections), SETUPS[server]
    promised = variant == MODEL and connections != CALIBRATED
    throughput = _compare_figures(
        [rate for rate, _ in runs],
        measured.attempts_per_second,
        setup.throughput_bound if promised else None,
    )
    response = _compare_figures(
        [ms for _, ms in runs],
        measured.total.average_ms,
        setup.response_bound if promised else None,
    )
    return {
        "server": server,
        "connections": connections,
        "variant": variant,
        "requests_per_second": throughput,
        "response_ms": response,
    }


def _compare_figures(values: list[float], measured: float, bound: float | None) -> dict[str, Any]:
    spread = confidence_interval(values, CONFIDENCE)
    error = 100 * (spread.mean / measured - 1)
    return {
        "predicted": spread.mean,
        "half_width": spread.half_width,
        "measured": measured,
        "error_percent": error,
        "bound_percent": bound,
        "kept": None if bound is None else abs(error) <= bound,
    }


def _calibration_json(
    server: str, variant: str, rig: ModelledRig, workload: MuseumWorkload
) -> dict[str, Any]:
    calibrated: LocustTable = table(server, CALIBRATED)
    return {
        "server": server,
        "variant": variant,
        "bed": asdict(rig),
        "think_ms": 1000 * workload.think,
        "users": calibrated.users(),
        "demand_ms": _by_masters(workload.demands),
    }


def _by_masters(demands: Mapping[tuple[str, str], float]) -> dict[str, dict[str, float]]:
    return {
        name: {kind: ms for (masters, kind), ms in demands.items() if masters == name}
        for name in MASTERS
    }
