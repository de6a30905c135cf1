"""The result of a load test, for its page."""

from typing import Any

from loadtest.fleet.load_test_report import COLUMNS


def result(**more: Any) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(COLUMNS, 1) | {"stage": "10 users", "kind": "tile"}
    return {
        "scenario": "scenarios/visitors.toml",
        "host": "https://images.example.org",
        "complete": True,
        "requests": 1,
        "failures": 0,
        "seed": 7,
        "generator_cpu_percent": 40.0,
        "generator_saturated": False,
        "rows": [row | {"failures": 0}],
        "failed": [],
        **more,
    }
