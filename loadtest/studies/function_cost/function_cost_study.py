"""The rounds: in each, a new environment of the Lambda starts and answers each kind in turn.

The programs are those of containers/function, on this machine's processor; access masters come by
our S3 adapter from an object server that answers at once, and records from memory. So CPU is that
of a Lambda but for the read of a record, and time lacks what its reads wait for S3.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadtest.corpora.access_masters import DESCRIPTIONS, Master, Progress, make_master
from loadtest.figures.order_statistics import median
from loadtest.rigs.function_environment import FunctionEnvironment, function_environment
from loadtest.rigs.object_server.server_process import run_store
from loadtest.studies.delivery.delivery_requests import (
    different_tiles,
    image_path,
    info_path,
    tile_path,
)

MASTER = "photo-24.tif"
START, FIRST = "start", "first tile"
MEGABYTES = 1_769
"""Of the Lambda (stacks/flavours.py); at this size it has one vCPU."""
MEBIBYTE = 2**20


@dataclass(frozen=True, kw_only=True)
class FunctionCostStudy:
    """How many environments, and how many requests of each kind an environment answers."""

    rounds: int = 5
    requests: int = 20
    scratch: Path = Path(".build/studies")


def measure_function_cost(study: FunctionCostStudy, progress: Progress) -> dict[str, Any]:
    """Return figures, JSON-ready, with every round. Raises VitrineError, OSError."""
    folder = study.scratch.resolve() / "function-cost"
    master = make_master(folder, MASTER, progress)
    rows: list[dict[str, Any]] = []
    with run_store(folder) as store:
        for number in range(study.rounds):
            with function_environment(folder, store.url) as environment:
                rows += [row | {"round": number} for row in _measure(environment, master, study)]
            progress(f"round {number + 1} of {study.rounds} is done")
    return {
        "picture": DESCRIPTIONS[MASTER],
        "requests": study.requests,
        "megabytes": MEGABYTES,
        "rounds": rows,
        "medians": summarise(rows),
    }


def addresses(master: Master, count: int) -> Mapping[str, Sequence[str]]:
    """Return the addresses of each kind, in the order in which they are requested."""
    first, *tiles = (tile_path(master, tile) for tile in different_tiles(master, count + 1))
    return {
        FIRST: [first],
        "tile, from S3": tiles,
        "tile, again": tiles,
        "thumbnail": _whole(master, 200, count),
        "!1024": _whole(master, 1024, count),
        "info.json": [info_path(master)] * count,
    }


def _whole(master: Master, side: int, count: int) -> list[str]:
    """Return the whole image in `count` sizes up to `side`: no answer is kept for another."""
    return [image_path(master, "full", f"!{side - n},{side - n}") for n in range(count)]


def _measure(
    environment: FunctionEnvironment, master: Master, study: FunctionCostStudy
) -> Iterator[dict[str, Any]]:
    began = time.perf_counter()
    environment.wait_until_idle()
    yield _row(START, 1, environment, 0.0, time.perf_counter() - began)
    for kind, paths in addresses(master, study.requests).items():
        cpu, began, size = environment.usage().cpu_seconds, time.perf_counter(), 0
        for path in paths:
            answer = environment.invoke(path)
            if answer.status != 200:
                raise OSError(f"{path} was answered with {answer.status}: {answer.body[:200]!r}")
            size += len(answer.body)
        seconds = time.perf_counter() - began
        yield _row(kind, len(paths), environment, cpu, seconds) | {"bytes": size // len(paths)}


def _row(
    kind: str, count: int, environment: FunctionEnvironment, cpu_before: float, seconds: float
) -> dict[str, Any]:
    now = environment.usage()
    return {
        "kind": kind,
        "cpu_ms": round(1000 * (now.cpu_seconds - cpu_before) / count, 3),
        "ms": round(1000 * seconds / count, 3),
        "resident_mebibytes": round(now.resident_bytes / MEBIBYTE),
    }


def summarise(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the medians of each kind, and what Lambda bills at least for its CPU."""
    found = []
    for kind in dict.fromkeys(row["kind"] for row in rows):
        of_kind = [row for row in rows if row["kind"] == kind]
        cpu = median([float(row["cpu_ms"]) for row in of_kind])
        found.append(
            {
                "kind": kind,
                "cpu_ms": round(cpu, 3),
                "ms": round(median([float(row["ms"]) for row in of_kind]), 3),
                "billed_gb_seconds": round(cpu / 1000 * MEGABYTES / 1024, 6),
                "resident_mebibytes": max(row["resident_mebibytes"] for row in of_kind),
            }
        )
    return found
