"""Rounds and figures of the study of workers, for its reports."""

from typing import Any

from loadtest.studies.workers.worker_medians import worker_medians


def round_of(processes: int, number: int, rate: float, **more: Any) -> dict[str, Any]:
    return {
        "server": "ours",
        "processes": processes,
        "clients": 4,
        "cache_percent": 80,
        "round": number,
        "complete": True,
        "requests": 100,
        "failures": 0,
        "median_ms": 10.0,
        "average_ms": 12.0,
        "max_ms": 1_000.0 * number,
        "p95_ms": 20.0,
        "p99_ms": 30.0,
        "average_bytes": 5_000,
        "requests_per_second": rate,
        "cpu_ms_per_request": 1.5,
        "server_cores": 0.9,
        "generator_cores": 0.1,
        "client_bound": False,
        "failed": [],
        **more,
    }


def figures_of(rounds: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {
        "complete": True,
        "scenario": {"rounds": 3, "seconds": 2.0, "seed": 2019},
        "images": [["a", 10, 10]],
        "servers": {"ours": "a server"},
        "versions": {"nginx": "1.22"},
        "pinned": {"server_core": 0, "generator_core": 1},
        "rounds": rounds,
        "medians": worker_medians(rounds),
        **more,
    }
