"""A tile's cost is a multiple of the static file's of the same round, with every round kept."""

from typing import Any

from loadtest.figures.round_medians import medians
from loadtest.studies.tile_cost.tile_cost_report import chart, is_as_promised, table
from loadtest.studies.tile_cost.tile_cost_study import FIRST, GOALS, REPEATED, STATIC, ratios


def row(what: str, number: int, cpu: float, failures: int = 0) -> dict[str, Any]:
    return {
        "label": what,
        "bed": what,
        "round": number,
        "cpu_ms_per_request": cpu,
        "cpu_ms_by_process": {"nginx": cpu},
        "p50_ms": 1.0,
        "p99_ms": 2.0,
        "requests_per_second": 1000.0,
        "requests": 2000,
        "bytes": 2000 * 36_000,
        "failures": failures,
    }


def figures(first: float = 0.04, failures: int = 0) -> dict[str, Any]:
    # The machine is half as fast in the second round, for all of them.
    rows = [
        row(what, number, cpu * number, failures if what == FIRST else 0)
        for number in (1, 2)
        for what, cpu in ((STATIC, 0.02), (REPEATED, 0.025), (FIRST, first))
    ]
    return {
        "check": {"failures": 0},
        "rounds": rows,
        "medians": medians(rows),
        "ratios": {what: ratios(rows, what) for what in GOALS},
    }


def test_a_slow_round_changes_no_ratio() -> None:
    assert figures()["ratios"][FIRST] == {"rounds": [2.0, 2.0], "median": 2.0, "most": 2.5}


def test_a_promise_is_kept_by_right_answers_only() -> None:
    assert is_as_promised(figures())
    assert not is_as_promised(figures(first=0.051))
    assert not is_as_promised(figures(failures=1))


def test_the_table_shows_each_process_and_every_round() -> None:
    shown = table(figures())
    assert "| first tile | 0.0600 | 0.0600 |  | 1.00 | 2.00 | 1,000 | 36,000 | 0 |" in shown
    assert "| first tile | 2.00 | 2.5 | yes | 2.00, 2.00 |" in shown
    assert "| NO |" in table(figures(first=0.06))
    drawn = chart(figures())
    assert all(what in drawn for what in (STATIC, REPEATED, FIRST))
