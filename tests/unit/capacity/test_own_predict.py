"""Our own load tests: what is calibrated on two of them predicts the others."""

import json
from dataclasses import replace
from math import exp
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from capacity.cli import build_app
from capacity.model.cost_profile import TILE
from capacity.model.image_task import COLD_SECONDS
from capacity.model.render_work import AT_ONCE, pool_of, work_of
from capacity.validation.own.calibrate_own import rig_profile, scaled
from capacity.validation.own.closed_load_test import Closed, run_closed
from capacity.validation.own.load_tests import TESTS, LoadTest, images_of
from capacity.validation.own.own_report import own_parts
from capacity.validation.own.predict_own import METRICS, broken, predict
from loadtest.report.document import Chart
from loadtest.workload.catalogue import Image

pytestmark = pytest.mark.slow

SECONDS, ROUNDS = 6.0, 5
DELAY_MS = 0.1
VARIATION = 0.3
P95, MEAN = exp(1.645 * VARIATION), exp(VARIATION**2 / 2)
"""Of a lognormal distribution, in medians."""
SIZES = ((2_900, 2_100), (6_000, 4_000), (14_204, 10_652))
TRUTH = replace(
    scaled(rig_profile(), 1.3),
    tile_ms=0.2,
    info_ms=0.2,
    small_ms=0.5,
    large_ms_per_megapixel=7.0,
    wake_ms=0.05,
    cold_tile_ms=0.6,
    cold_small_ms=1.2,
    variation=VARIATION,
    render_variation=VARIATION,
)
"""A server whose demands the calibration is to find."""


def _group(test: LoadTest, images: list[Image], profile: Any) -> list[dict[str, Any]]:
    """What its classes take when nothing waits."""
    groups, paused = [], True
    for request, _ in zip(test.workload(images).requests(0), range(3_000), strict=False):
        target, rested = request.target, paused
        paused, small = request.think_seconds > COLD_SECONDS, False
        pixels = target.width * target.height
        if target.kind.endswith(TILE) or not pixels:
            work, pixels, ms = 0.0, 0, profile.tile_ms / MEAN
            extra = profile.cold_tile_ms
        else:
            work = work_of(target)
            small = pool_of(target) == AT_ONCE
            fixed, each = (
                (profile.small_ms, profile.small_ms_per_megapixel)
                if small
                else (profile.large_ms, profile.large_ms_per_megapixel)
            )
            ms = (fixed + each * work) / (MEAN if small else 1)
            extra = profile.cold_small_ms
        groups.append(
            {
                "kind": target.kind,
                "is_tile": target.kind.endswith(TILE),
                "work": work,
                "pixels": pixels,
                "at_once": small,
                "after_pause": rested,
                "requests": 20,
                "median_ms": ms + (extra if rested else profile.wake_ms) + DELAY_MS,
                "p95_ms": ms * P95 + (extra if rested else profile.wake_ms) + DELAY_MS,
            }
        )
    return groups


def _row(test: LoadTest, images: list[Image], run: Closed) -> dict[str, Any]:
    return {
        "test": test.name,
        "seconds": SECONDS,
        "rounds": ROUNDS,
        "elapsed_seconds": SECONDS * ROUNDS,
        "failures": run.failures,
        "requests": run.times.requests,
        "requests_per_second": run.requests_per_second,
        "p50_ms": 1000 * run.times.p50,
        "p95_ms": 1000 * run.times.p95,
        "server_cpu_seconds": run.server_cores * SECONDS * ROUNDS,
        "groups": _group(test, images, TRUTH) if test.users == 1 else [],
    }


@pytest.fixture(scope="module")
def measured() -> dict[str, Any]:
    """Load tests of a server that is as the model thinks, with other demands than the profile."""
    made = [Image("x", *size) for size in SIZES]
    described = [
        {
            "width": image.width,
            "height": image.height,
            "levels": list(image.levels),
            "largest": [4_096, 3_000],
        }
        for image in made
    ]
    images = images_of(described)
    rows = [
        _row(
            test, images, run_closed(test, images, TRUTH, DELAY_MS, SECONDS, rounds=ROUNDS, seed=5)
        )
        for test in TESTS
    ]
    return {
        "machine": {"processor": "a processor", "measured_at": "today", "commit": "none"},
        "seconds": SECONDS,
        "rounds": ROUNDS,
        "idle": {"median_ms": 0.25, "server_cpu_ms": 0.15, "busy_server_cpu_ms": 0.1},
        "images": described,
        "tests": rows,
    }


@pytest.fixture(scope="module")
def predicted(measured: dict[str, Any]) -> dict[str, Any]:
    """The prediction, which takes seconds and is the same for all tests."""
    return predict(measured)


def test_two_load_tests_predict_three_others(predicted: dict[str, Any]) -> None:
    run = predicted
    assert not broken(run)
    assert [row["calibrates"] for row in run["rows"]] == [True, True, False, False, False]
    assert run["profile"]["tile_ms"] == pytest.approx(TRUTH.tile_ms, rel=0.1)
    for name in ("wake_ms", "cold_tile_ms", "cold_small_ms", "variation", "render_variation"):
        assert run["profile"][name] == pytest.approx(getattr(TRUTH, name), rel=0.1)
    assert run["delay_ms"] == pytest.approx(DELAY_MS)
    assert run["correction"] == pytest.approx(1, abs=0.1)


def test_what_the_predicted_tests_gave_is_never_used_to_predict(
    measured: dict[str, Any], predicted: dict[str, Any]
) -> None:
    other = json.loads(json.dumps(measured))
    for row, test in zip(other["tests"], TESTS, strict=True):
        if not test.calibrates:
            row["requests_per_second"] *= 2
    run, changed = predicted, predict(other)
    assert changed["profile"] == run["profile"]
    for row, again in zip(run["rows"], changed["rows"], strict=True):
        assert [row[metric]["predicted"] for metric in METRICS] == [
            again[metric]["predicted"] for metric in METRICS
        ]
    missed = [line for line in broken(changed) if "requests_per_second" in line]
    assert len(missed) == sum(not test.calibrates for test in TESTS)


def test_a_saved_run_is_predicted_anew_and_shown(measured: dict[str, Any], tmp_path: Path) -> None:
    saved = tmp_path / "run.json"
    saved.write_text(json.dumps({"measured": measured}))
    page = tmp_path / "page.html"
    options = ["--measured", str(saved), "--html", str(page), "--results", str(tmp_path), "--json"]
    result = CliRunner().invoke(build_app(), ["validate", "own", *options])
    assert result.exit_code == 0, result.output
    assert page.read_text().count("<svg") == len(METRICS)
    kept = next(tmp_path.glob("*-capacity-own/run.json"))
    assert json.loads(kept.read_text()) == json.loads(result.stdout)


def test_a_file_that_is_no_run_is_wrong_usage(tmp_path: Path) -> None:
    saved = tmp_path / "run.json"
    saved.write_text("{}")
    result = CliRunner().invoke(build_app(), ["validate", "own", "--measured", str(saved)])
    assert result.exit_code == 2
    assert "is not a run of `vitrine-capacity validate own`" in result.stderr


def test_a_report_has_a_chart_for_each_figure(predicted: dict[str, Any]) -> None:
    parts = own_parts(predicted)
    assert sum(isinstance(part, Chart) for part in parts) == len(METRICS)
