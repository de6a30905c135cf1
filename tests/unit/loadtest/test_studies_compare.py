"""Saved runs side by side: ratios, what makes them worthless, and what is refused."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from loadtest.cli import build_app
from loadtest.errors import InvalidScenario
from loadtest.studies.compare.comparable_lines import lines_of
from loadtest.studies.compare.compare_report import format_page
from loadtest.studies.compare.compare_runs import _count_failures, compare_runs

MACHINE = {"measured_at": "2026-11-21T12:00:00", "cores": 2, "commit": "abc"}


def workers(rate: float, **more: Any) -> dict[str, Any]:
    row = {
        "server": "ours",
        "processes": 2,
        "clients": 4,
        "cache_percent": 80,
        "requests_per_second": rate,
        "worst_ms": 100.0,
        "failures": 0,
        "client_bound": False,
        **more,
    }
    return {"complete": True, "scenario": {"seed": 7}, "medians": [row], "rounds": []}


def saved(folder: Path, name: str, figures: dict[str, Any], bench: str = "workers") -> Path:
    path = folder / name
    path.mkdir(parents=True)
    run = {"bench": bench, "figures": figures, "machine": MACHINE}
    (path / "run.json").write_text(json.dumps(run))
    return path


def compare(folder: Path, *words: object) -> Result:
    arguments = ["compare", *map(str, words), "--results", str(folder / "out")]
    return CliRunner().invoke(build_app(), arguments)


def test_runs_stand_side_by_side_with_ratios_to_the_first(tmp_path: Path) -> None:
    one, two = saved(tmp_path, "one", workers(50.0)), saved(tmp_path, "two", workers(75.0))
    done = compare(tmp_path, one, two / "run.json", "--json")
    assert done.exit_code == 0, done.output
    compared = json.loads(done.stdout)
    assert [run["name"] for run in compared["runs"]] == ["one", "two"]
    [rate] = [row for row in compared["rows"] if row["figure"] == "req/s"]
    assert rate["line"] == "ours x 2, 80 % cached, 4 clients"
    assert (rate["values"], rate["ratios"]) == ([50.0, 75.0], [1.0, 1.5])
    [folder] = (tmp_path / "out").iterdir()
    assert "<td>1.50 x</td>" in (folder / "index.html").read_text()
    rows = list(csv.DictReader((folder / "rows.csv").read_text().splitlines()))
    assert (rows[0]["figure"], rows[0]["ratio two"]) == ("req/s", "1.5")
    assert "1.50 x" in compare(tmp_path, one, two).stdout


def test_runs_of_different_kinds_are_refused(tmp_path: Path) -> None:
    one = saved(tmp_path, "one", workers(1.0))
    two = saved(tmp_path, "two", {"x": 1}, bench="deliver")
    done = compare(tmp_path, one, two)
    assert done.exit_code == 2
    assert "runs of different kinds cannot be compared" in done.stderr
    assert f"{two} is of deliver" in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("content", "words"),
    [(None, "cannot be read"), ("{", "is no JSON"), ('{"theory": 1}', "is no saved run")],
)
def test_what_is_no_run_is_said_so(tmp_path: Path, content: str | None, words: str) -> None:
    one, other = saved(tmp_path, "one", workers(1.0)), tmp_path / "run.json"
    if content:
        other.write_text(content)
    done = compare(tmp_path, one, other)
    assert (done.exit_code, words in done.stderr) == (2, True)
    assert compare(tmp_path, one).exit_code == 2


def test_what_makes_a_run_worthless_is_red(tmp_path: Path) -> None:
    busy = saved(tmp_path, "busy", workers(1.0, client_bound=True))
    cut = saved(tmp_path, "cut", workers(1.0) | {"complete": False})
    page = format_page(compare_runs([busy, cut]), MACHINE)
    assert '<p class="bad">busy is client-bound' in page
    assert '<p class="bad">cut was interrupted' in page


def test_conditions_in_which_runs_differ_are_named(tmp_path: Path) -> None:
    one = saved(tmp_path, "one", workers(1.0))
    two = saved(tmp_path, "two", workers(1.0) | {"scenario": {"seed": 8}})
    assert compare_runs([one, two])["differences"] == ["seed: 7 | 8"]


def test_runs_without_a_common_line_are_refused(tmp_path: Path) -> None:
    one = saved(tmp_path, "one", workers(1.0))
    two = saved(tmp_path, "two", workers(1.0, clients=9))
    with pytest.raises(InvalidScenario, match="no line in common"):
        compare_runs([one, two])


def test_of_a_bench_that_is_not_known_every_number_counts_by_its_place() -> None:
    figures = {
        "images": 3,
        "rounds": [{"ms": 1}],
        "medians": [{"bed": "ours", "ms": 2.5, "good": True}, {"bed": "ours", "ms": 4}],
    }
    assert lines_of("deliver", figures) == {
        "medians · ours": {"ms": 2.5},
        "medians · ours (2)": {"ms": 4},
    }


def formats(**more: Any) -> dict[str, Any]:
    row = {
        "server": "iipsrv",
        "format": "htj2k-lossy",
        "kind": "50",
        "percentiles_ms": {"50": 1.0, "99.9": 4.0, "100": 5.0},
        "average_ms": 2.0,
        "cpu_ms_per_request": 3.0,
        "decode_ms": None,
        "average_bytes": 900,
        "failures": 0,
        "wrong_pixels": 0.5,
        "generator_cores": 0.1,
    }
    encoded = {"format": "ptiff-lossy", "megapixels_per_cpu_second": 50.0, "psnr_db": 39.6}
    return {
        "complete": True,
        "encoded": [encoded],
        "served": [row | more],
        "checks": [{"requests": 4, "wrong": 2}],
    }


def test_formats_are_compared_by_encoders_and_by_what_servers_took(tmp_path: Path) -> None:
    lines = lines_of("formats", formats())
    assert lines["encoding, ptiff-lossy"]["MP/CPU s"] == 50.0
    served = lines["iipsrv, htj2k-lossy, 50"]
    assert (served["p50 ms"], served["p99.9 ms"], served["p100 ms"]) == (1.0, 4.0, 5.0)
    assert (served["CPU ms/req"], served["share wrong"]) == (3.0, 0.5)
    runs = [
        saved(tmp_path, "quiet", formats(), "formats"),
        saved(tmp_path, "busy", formats(generator_cores=0.9), "formats"),
    ]
    page = format_page(compare_runs(runs), MACHINE)
    assert '<p class="bad">quiet has 2 answers with wrong pixels' in page
    assert '<p class="bad">busy is client-bound' in page
    assert "quiet is client-bound" not in page


@pytest.mark.parametrize(
    ("figures", "failures"),
    [
        ({"medians": [{"rows": {"0-10 tile": {"failures": 2}, "any": {"failures": 5}}}]}, 5),
        ({"medians": [{"failures": 2}, {"failures": 1}]}, 3),
        ({"failures": 0, "rows": [{"kind": "tombstone", "failures": 9}]}, 0),
        ({"errors": 4, "rounds": 5}, 4),
    ],
)
def test_failures_are_those_that_a_run_says_it_has(figures: dict[str, Any], failures: int) -> None:
    assert _count_failures(figures) == failures
