"""Our own load tests: what is calibrated on two of them predicts the others."""

import json
from dataclasses import dataclass, replace
from math import exp, log, sqrt
from pathlib import Path
from random import Random
from statistics import NormalDist, fmean
from typing import Any

import pytest
from typer.testing import CliRunner

from capacity.cli import build_app
from capacity.model.cost_profile import TILE
from capacity.model.image_task import COLD_SECONDS
from capacity.model.render_work import AT_ONCE, pool_of, work_of
from capacity.validation.own.calibrate_own import rig_profile, scaled
from capacity.validation.own.closed_load_test import Closed, Outside, run_closed
from capacity.validation.own.drawn_tests import THINK_SECONDS, USERS, all_tests, draw_tests
from capacity.validation.own.forecasts import METRICS, Discrepancy, Forecast, forecast
from capacity.validation.own.load_tests import PERCENTS, LoadTest, images_of
from capacity.validation.own.own_report import own_parts
from capacity.validation.own.predict_own import broken, predict
from loadtest.report.document import Chart
from loadtest.workload.catalogue import Image

pytestmark = pytest.mark.slow

SECONDS, ROUNDS, SEED, DRAWN, GAUGING = 2.0, 3, 7, 2, 2
DELAY_MS, GENERATOR_MS = 0.1, 0.05
VARIATION = 0.3
MEAN = exp(VARIATION**2 / 2)
"""Of a lognormal distribution, in medians."""
OUTSIDE = Outside(delay_ms=DELAY_MS, generator_ms=GENERATOR_MS, jitter_ms=(0.0, 0.0, 0.2))
TESTS = all_tests(SEED, DRAWN, GAUGING)
SIZES = ((2_900, 2_100), (6_000, 4_000), (14_204, 10_652))
TRUTH = replace(
    scaled(rig_profile(), 1.3),
    tile_ms=0.2,
    kept_tile_ms=0.05,
    info_ms=0.2,
    large_ms_per_megapixel=7.0,
    wake_ms=0.05,
    cold_tile_ms=0.6,
    cold_small_ms=1.2,
    render_variation=VARIATION,
)
"""A server whose demands the calibration is to find."""


def _group(test: LoadTest, images: list[Image], profile: Any, kept: float) -> list[dict[str, Any]]:
    """What its classes take when nothing waits."""
    groups, paused = [], True
    for request, _ in zip(test.workload(images).requests(0), range(600), strict=False):
        target, rested = request.target, paused
        paused, small = request.think_seconds > COLD_SECONDS, False
        pixels = target.width * target.height
        if target.kind.endswith(TILE) or not pixels:
            work, pixels, ms = 0.0, 0, profile.tile_ms
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
        fixed_ms = (extra if rested else profile.wake_ms) + DELAY_MS + GENERATOR_MS / 2
        varies = VARIATION if pixels and pixels <= 500_000 else 0.0
        is_tile = target.kind.endswith(TILE)
        quantiles = [
            _tile_quantile(profile, kept, percent) if is_tile else _quantile(ms, varies, percent)
            for percent in PERCENTS
        ]
        groups.append(
            {
                "kind": target.kind,
                "is_tile": is_tile,
                "work": work,
                "pixels": pixels,
                "at_once": small,
                "after_pause": rested,
                "requests": 20,
                "median_ms": ms + fixed_ms,
                "quantiles_ms": [quantile + fixed_ms for quantile in quantiles],
            }
        )
    return groups


def _quantile(ms: float, varies: float, percent: float) -> float:
    """Of a lognormal demand with this median."""
    return ms * exp(varies * NormalDist().inv_cdf(min(percent, 99.9) / 100))


def _tile_quantile(profile: Any, kept: float, percent: float) -> float:
    """Of tiles: the share that nginx kept, and the others with their jitter."""
    share = (percent / 100 - kept) / (1 - kept)
    if share < 0:
        return float(profile.kept_tile_ms)
    return float(profile.tile_ms) + max(0.0, share - 0.5) * 2 * OUTSIDE.jitter_ms[-1]


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
        "each_round": [{"cpu_ms": 1.0}, {"cpu_ms": 1.02}, {"cpu_ms": 0.98}],
        "server_cpu_seconds": run.server_cores * SECONDS * ROUNDS,
        "groups": _group(test, images, TRUTH, run.kept_share) if test.users == 1 else [],
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
        _row(test, images, run_closed(test, images, TRUTH, OUTSIDE, SECONDS, rounds=ROUNDS, seed=5))
        for test in TESTS
    ]
    return {
        "machine": {"processor": "a processor", "measured_at": "today", "commit": "none"},
        "seconds": SECONDS,
        "rounds": ROUNDS,
        "seed": SEED,
        "drawn": DRAWN,
        "gauging": GAUGING,
        "idle": {
            "median_ms": DELAY_MS + GENERATOR_MS / 2 + 0.15,
            "server_cpu_ms": 0.15,
            "busy_server_cpu_ms": 0.1,
            "generator_ms": GENERATOR_MS,
        },
        "images": described,
        "tests": rows,
    }


@dataclass(frozen=True)
class Printed:
    """What the command made of a saved run: a page, a kept run, and what it printed."""

    exit_code: int
    output: str
    page: str
    kept: dict[str, Any]


@pytest.fixture(scope="module")
def printed(measured: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Printed:
    folder = tmp_path_factory.mktemp("saved")
    saved, page = folder / "run.json", folder / "page.html"
    saved.write_text(json.dumps({"measured": measured}))
    options = ["--measured", str(saved), "--html", str(page), "--results", str(folder), "--json"]
    result = CliRunner().invoke(build_app(), ["validate", "own", *options])
    kept = next(folder.glob("*-capacity-own/run.json"))
    return Printed(result.exit_code, result.stdout, page.read_text(), json.loads(kept.read_text()))


@pytest.fixture(scope="module")
def predicted(printed: Printed) -> dict[str, Any]:
    """The prediction, which takes seconds and is the same for all tests."""
    return printed.kept


def test_tests_drawn_at_random_are_foretold_from_two_others(predicted: dict[str, Any]) -> None:
    run = predicted
    assert not broken(run)
    assert run["judged"] == 2 * DRAWN
    purposes = ["calibrate"] * 2 + ["gauge"] * GAUGING + ["judge"] * DRAWN
    assert [row["purpose"] for row in run["rows"]] == purposes
    assert run["profile"]["tile_ms"] == pytest.approx(TRUTH.tile_ms, rel=0.1)
    for name in ("wake_ms", "cold_tile_ms", "cold_small_ms", "render_variation"):
        assert run["profile"][name] == pytest.approx(getattr(TRUTH, name), rel=0.1)
    assert run["delay_ms"] == pytest.approx(DELAY_MS)
    assert run["correction"] == pytest.approx(1, abs=0.1)


def test_an_interval_of_a_model_that_is_right_is_no_excuse(predicted: dict[str, Any]) -> None:
    for row in predicted["rows"]:
        for metric in METRICS:
            assert row[metric]["high"] / row[metric]["low"] < 2.5, (row["test"], metric)


def test_what_the_predicted_tests_gave_is_never_used_to_predict(measured: dict[str, Any]) -> None:
    short: dict[str, Any] = json.loads(json.dumps(measured))
    for row in short["tests"]:
        row |= {"seconds": 0.5, "rounds": 1}  # of the simulation: predictions need not be good
    other = json.loads(json.dumps(short))
    for row, test in zip(other["tests"], TESTS, strict=True):
        if test.purpose == "judge":
            row["p95_ms"] *= 100
    run, changed = predict(short), predict(other)
    assert changed["profile"] == run["profile"]
    names = ("predicted", "low", "high")
    for row, again in zip(run["rows"], changed["rows"], strict=True):
        assert [[row[metric][name] for name in names] for metric in METRICS] == [
            [again[metric][name] for name in names] for metric in METRICS
        ]
    (sentence,) = broken(changed)
    assert sentence.count("p95_ms") == DRAWN


def test_an_interval_grows_with_what_the_model_misses_where_it_may_know() -> None:
    runs = [{"p50_ms": value} for value in (0.9, 1.0, 1.1)]
    sure, unsure = (forecast(runs, "p50_ms", Discrepancy(missed, 5)) for missed in (0.0, 0.3))
    assert isinstance(sure, Forecast)
    assert unsure.value == sure.value == pytest.approx(exp(log(0.99) / 3))
    assert unsure.low < sure.low < sure.value < sure.high < unsure.high


def test_an_error_learned_from_few_tests_makes_a_forecast_less_sure() -> None:
    runs = [{"p50_ms": value} for value in (0.9, 1.0, 1.1)]
    few, many = (forecast(runs, "p50_ms", Discrepancy(0.3, tests)) for tests in (2, 50))
    assert few.low < many.low < many.high < few.high


def test_nine_of_ten_lie_inside_intervals_of_errors_learned_from_five_others() -> None:
    stream, inside, trials = Random(1), 0, 4_000
    for _ in range(trials):
        learned = [stream.gauss(0, 0.4) for _ in range(5)]
        deviation = sqrt(fmean(error**2 for error in learned))
        runs = [{"p50_ms": exp(stream.gauss(0, 0.1))} for _ in range(8)]
        made = forecast(runs, "p50_ms", Discrepancy(deviation, 5))
        inside += made.low <= exp(stream.gauss(0, 0.1) + stream.gauss(0, 0.4)) <= made.high
    assert inside / trials == pytest.approx(0.9, abs=0.015)


def test_equal_seeds_draw_equal_tests_within_their_bounds() -> None:
    tests = draw_tests(3, 50)
    assert tests == draw_tests(3, 50)
    assert tests != draw_tests(4, 50)
    for test in tests:
        assert USERS[0] <= test.users <= USERS[1]
        sessions, pages, report = (part.options for part in test.options.parts)
        assert THINK_SECONDS[0] <= sessions.think_seconds <= THINK_SECONDS[1]
        assert pages.think_seconds == report.think_seconds
        assert test.purpose == "judge"
    assert len({test.users for test in tests}) > 8


def test_a_saved_run_is_predicted_anew_and_shown(printed: Printed) -> None:
    assert printed.exit_code == 0, printed.output
    assert printed.page.count("<svg") == len(METRICS)
    assert printed.kept == json.loads(printed.output)


def test_a_file_that_is_no_run_is_wrong_usage(tmp_path: Path) -> None:
    saved = tmp_path / "run.json"
    saved.write_text("{}")
    result = CliRunner().invoke(build_app(), ["validate", "own", "--measured", str(saved)])
    assert result.exit_code == 2
    assert "is not a run of `vitrine-capacity validate own`" in result.stderr


def test_a_report_has_a_chart_for_each_figure(predicted: dict[str, Any]) -> None:
    parts = own_parts(predicted)
    assert sum(isinstance(part, Chart) for part in parts) == len(METRICS)
