"""The simulator's speed: a day of the whole service, and the Virtual Microscope's factorial."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from capacity.benchmark.simulated_day import DESIGN
from capacity.validation.microscope.microscope_profile import PROFILES
from capacity.validation.microscope.microscope_study import study
from loadtest.figures.order_statistics import median

DAY_SECONDS = 30.0
DAY_MEBIBYTES = 250.0
FACTORIAL_SECONDS = 600.0
REQUESTS = 1_000_000


def measure_simulator(rounds: int, replications: int, say: Callable[[str], None]) -> dict[str, Any]:
    """CPU seconds and memory of `rounds` days, and seconds of the factorial on all cores.

    Days run one after the other, each in a new process; every round is kept.
    """
    days = []
    for number in range(rounds):
        say(f"day {number + 1} of {rounds}")
        days.append(_day(str(number + 1)))
    say(f"the full factorial of the Virtual Microscope study, {replications} replications")
    began = time.perf_counter()
    study(PROFILES["fitted"], replications, seed=1, sensitivity=0)
    factorial = time.perf_counter() - began
    figures: dict[str, Any] = {
        "tasks": DESIGN.minimum,
        "requests": min(day["requests"] for day in days),
        "cpu_seconds": median(day["cpu_seconds"] for day in days),
        "peak_mebibytes": max(day["peak_mebibytes"] for day in days),
        "factorial_replications": replications,
        "factorial_seconds": round(factorial, 1),
    }
    return figures | {"met": _met(figures), "days": days}


def _day(seed: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "capacity.benchmark.simulated_day", seed]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"a simulated day failed: {done.stderr.strip()[-300:]}")
    day: dict[str, Any] = json.loads(done.stdout)
    return day


def _met(figures: dict[str, Any]) -> bool:
    """Return whether it kept 30 s and 250 MiB for a day, and ten minutes for everything."""
    return bool(
        figures["requests"] >= REQUESTS
        and figures["cpu_seconds"] <= DAY_SECONDS
        and figures["peak_mebibytes"] <= DAY_MEBIBYTES
        and figures["factorial_seconds"] <= FACTORIAL_SECONDS
    )
