"""The simulator's speed is measured in processes of their own, and judged by what is promised."""

import json
import subprocess
import sys

import pytest

from capacity.benchmark import simulator_benchmark as run

DAY = {"seed": "1", "cpu_seconds": 20.0, "peak_mebibytes": 150.0, "requests": 1_050_000}


@pytest.mark.parametrize(
    ("change", "met"),
    [
        ({}, True),
        ({"cpu_seconds": 31.0}, False),
        ({"peak_mebibytes": 260.0}, False),
        ({"requests": 900_000}, False),
    ],
)
def test_a_day_that_is_too_slow_too_large_or_too_short_is_not_as_promised(
    monkeypatch: pytest.MonkeyPatch, change: dict[str, float], met: bool
) -> None:
    monkeypatch.setattr(run, "_day", lambda seed: DAY | change)
    monkeypatch.setattr(run, "study", lambda *arguments, **options: None)
    assert run.measure_simulator(2, 2, lambda line: None)["met"] is met


def test_a_day_is_simulated_by_a_process_that_says_what_it_took() -> None:
    small = (
        "from dataclasses import replace; from capacity.benchmark import simulated_day as day; "
        "day.TRAFFIC = replace(day.TRAFFIC, visits_per_day=30); day.main('1')"
    )
    done = subprocess.run([sys.executable, "-c", small], capture_output=True, text=True, check=True)
    taken = json.loads(done.stdout)
    assert taken["requests"] > 500
    assert 0 < taken["cpu_seconds"] < 60
    assert 20 < taken["peak_mebibytes"] < 1_000


def test_a_day_that_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run.sys, "executable", "false")
    with pytest.raises(RuntimeError, match="a simulated day failed"):
        run.measure_simulator(1, 2, lambda line: None)
