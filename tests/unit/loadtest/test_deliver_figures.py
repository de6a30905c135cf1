"""Figures are computed as stated, and every row finds its place in the report."""

import math
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from loadtest.client.rig_load import latencies, rates
from loadtest.figures.delivered_quality import largest_difference, psnr_db
from loadtest.figures.process_cpu import PeakWatch, tree, usage
from loadtest.figures.round_medians import medians
from loadtest.studies.delivery.delivery_goals import Goal, goals, ratio
from loadtest.studies.delivery.delivery_report import chart, table
from loadtest.studies.delivery.scenarios import collection, edges, giants, tiles, view
from tests import patience
from vitrine.bootstrap.local_service import REPOSITORY

RIGS = {"vitrine": 1.0, "iipsrv": 13.0, "iipsrv, tile cache": 7.0, "static files": 0.2}


def row(label: str, rig: str, number: int, **more: Any) -> dict[str, Any]:
    cpu = RIGS.get(rig, 0.5) * number
    return {
        "label": label,
        "bed": rig,
        "round": number,
        "requests": 100,
        "bytes": 1000,
        "failures": number - 1,
        "p50_ms": 1.0,
        "p99_ms": 2.0,
        **rates(requests=100, seconds=cpu, server={"gateway": cpu / 10}, generator=0.1, threads=1),
        **more,
    }


def check(label: str, rig: str, **more: Any) -> dict[str, Any]:
    fixed = {"requests": 5, "failures": 0, "failed": [], "bytes_per_request": 10}
    return {"label": label, "bed": rig, **fixed, **more}


def scenario(labels: list[str], rigs: list[str], **more: Any) -> dict[str, Any]:
    rows = [
        row(label, rig, number, **more) for label in labels for rig in rigs for number in (1, 2, 3)
    ]
    checks = [
        check(label, rig, bit_exact=5, largest_difference=0, psnr_db=30.0)
        for label in labels
        for rig in rigs
    ]
    return {"rows": rows, "checks": checks, "medians": medians(rows)}


@pytest.fixture
def figures() -> dict[str, Any]:
    three = list(RIGS)[:3]
    kinds = ("tile", "!128", "!1024", "!3000", "info.json")
    classes = {kind: latencies([0.001, 0.002]) for kind in kinds}
    large = {
        "resident_bytes_before": 1,
        "resident_bytes_peak": 2,
        "statuses": {"200": 3, "503": 4},
        "refused_with_retry_after": 4,
        "refused_without": 0,
        "other_failures": 0,
        "tile_failures": 0,
        "tiles_alone": latencies([0.001]),
        "tiles_meanwhile": latencies([0.001]),
    }
    endurance = [row("m", "vitrine", 1, mark=mark, gateway_resident_bytes=50) for mark in (2, 3)]
    return {
        "scenarios": {
            "tiles": scenario([tiles.label_of(name) for name in tiles.MASTERS], list(RIGS)),
            "edges": scenario([edges.label_of(name) for name in edges.MASTERS], three),
            "view": scenario([view.LABEL], [*three, view.WITH_CACHE], classes=classes),
            "collection": scenario([collection.FIRST, collection.AGAIN], three),
            "giants": {"rows": [row(giants.LABEL, rig, 1, **large) for rig in three]},
            "endurance": {"rows": endurance},
            "replay": {"rows": [row("r", rig, 1) for rig in three[:2]]},
        }
    }


def test_ratios_compare_within_a_round() -> None:
    values = {"a": (1, 100, 3), "b": (2, 50, 6)}
    rows = [
        {"label": "x", "bed": rig, "round": number, "deep": {"value": value}}
        for rig, series in values.items()
        for number, value in enumerate(series)
    ]
    assert ratio(rows, "x", "deep.value", "a", "b") == 0.5


def test_medians_sum_failures_and_keep_flags() -> None:
    rows = [
        {"label": "x", "bed": "a", "round": n, "value": n, "failures": n, "limit": n == 2}
        for n in (1, 2, 30)
    ]
    (middle,) = medians(rows)
    assert middle == {
        "label": "x", "bed": "a", "rounds": 3, "value": 2, "failures": 33, "limit": True
    }  # fmt: skip


def test_the_99th_percentile_is_of_the_nearest_rank() -> None:
    figures = latencies(number / 1000 for number in range(1, 201))
    assert (figures["p50_ms"], figures["p99_ms"], figures["max_ms"]) == (100.5, 198, 200)


def test_a_generator_that_is_the_limit_is_flagged() -> None:
    def of(cores: float) -> Any:
        figures = rates(
            requests=10, seconds=2, server={"a": 0.4, "b": 0.6}, generator=cores, threads=2
        )
        return figures["generator_saturated"], figures["cpu_ms_per_request"]

    assert of(1.9) == (True, 100)
    assert of(1.5) == (False, 100)


def test_psnr_is_that_of_the_definition() -> None:
    black, grey = np.zeros((4, 4, 3), np.uint8), np.full((4, 4, 3), 16, np.uint8)
    assert psnr_db(black, grey) == pytest.approx(20 * math.log10(255 / 16))
    assert psnr_db(black, black) == math.inf
    assert largest_difference(black, grey) == 16
    assert largest_difference(black, grey[:3]) == 255


def test_the_usage_of_a_process_is_counted_with_its_memory() -> None:
    mine = usage([os.getpid()])
    assert mine.cpu_seconds > 0
    assert mine.resident_bytes > 1 << 20
    assert os.getpid() in tree([os.getpid()])
    assert usage([]).resident_bytes == 0


def test_the_peak_is_the_highest_value_seen() -> None:
    values = iter([5, 9])
    with PeakWatch(lambda: next(values, 1)) as watch:
        pass
    assert watch.peak_bytes == 5


def test_every_promise_is_judged(figures: dict[str, Any]) -> None:
    judged = {goal.what: goal for goal in goals(figures["scenarios"])}
    assert judged["interior tiles, 101 megapixels, our recipe (YCbCr 4:4:4 quality 90): "
                  "CPU of iipsrv / ours"].value == 13  # fmt: skip
    assert {goal.met for goal in judged.values()} == {True, False, None}
    assert Goal("x", 2.0, "≥", 2.0).met
    assert Goal("x", 2.0, "≤", 1.0).met is False


def test_a_scenario_that_was_not_run_promises_nothing(figures: dict[str, Any]) -> None:
    alone = {"replay": figures["scenarios"]["replay"], "giants": {"rows": []}}
    assert len(goals(alone)) == 2


def test_the_report_has_every_class_and_server(figures: dict[str, Any]) -> None:
    text, svg = table(figures), chart(figures)
    for rig in (*RIGS, view.WITH_CACHE):
        assert f"| {rig} |" in text
    for label in (view.LABEL, giants.LABEL, collection.FIRST, collection.AGAIN):
        assert f"| {label} |" in text
        assert label == giants.LABEL or f">{label}</text>" in svg
    assert "--series-0" in svg


def test_the_report_of_one_scenario_has_only_that(figures: dict[str, Any]) -> None:
    alone = {"scenarios": {"replay": figures["scenarios"]["replay"]}}
    assert "Memory" not in table(alone)
    assert chart(alone) == ""


ALONE = """
import os, time
from loadtest.figures.process_cpu import usage
before = time.process_time()
counted = usage([os.getpid()]).cpu_seconds
print(before <= counted <= time.process_time() + 0.001)
"""


def test_the_cpu_of_a_living_process_is_finer_than_a_tick() -> None:
    # In a process without children, which would be counted with it.
    command = [sys.executable, "-c", ALONE]
    done = subprocess.run(
        command, cwd=REPOSITORY, capture_output=True, text=True, timeout=patience.SECONDS
    )
    assert done.stdout == "True\n", done.stderr
