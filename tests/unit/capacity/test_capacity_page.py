"""Charts, reports, and the page that is generated from the saved runs."""

import re
from pathlib import Path

import pytest

from capacity.report import charts, document
from capacity.validation.microscope.microscope_goals import goals
from capacity.validation.museum.museum_report import broken
from capacity.validation.validation_page import RUNS, newest_run, page_parts, write_page

REPOSITORY = Path(__file__).parents[3]
RESULTS = REPOSITORY / "results"
PAGE = REPOSITORY / "docs" / "explanations" / "capacity.md"


def _chart(name: str) -> str:
    return charts.lines(name, [charts.Series("a", 0, [1, 2], [3.0, 4.0], [0.1, 0.2])], "x", "y")


def test_charts_take_all_colours_from_the_page() -> None:
    svg = _chart("one")
    assert not re.search(r"#[0-9a-f]{6}\b", svg)
    assert "var(--series-0)" in svg
    assert "var(--ink)" in svg


def test_two_charts_on_a_page_share_no_id() -> None:
    ids = [set(re.findall(r'\bid="([^"]+)"', _chart(name))) for name in ("one", "two")]
    assert not ids[0] & ids[1]
    assert all(
        f'id="{target}"' in _chart("one")
        for target in re.findall(r'href="#([^"]+)"', _chart("one"))
    )


def test_equal_charts_are_equal_bytes() -> None:
    assert _chart("one") == _chart("one")


def test_a_page_asks_the_network_for_nothing_and_escapes_what_it_shows() -> None:
    table = document.Table("<b>", ("a", "b"), [("x & y", "1")])
    page = document.html("t", [table, document.Chart("one", 'say "a"', _chart("one"))])
    assert "<b>" not in page
    assert "x &amp; y" in page
    addresses = set(re.findall(r'(?:href|src)="(?!#)([^"]+)"', page))
    assert not addresses
    assert "<script" not in page


def test_the_page_follows_dark_screens_and_stays_light_on_paper() -> None:
    page = document.html("t", [])
    assert "@media screen and (prefers-color-scheme:dark)" in page
    assert "@media print" in page


def test_text_tables_line_up() -> None:
    table = document.Table("caption", ("name", "n"), [("a", "1"), ("long", "200")])
    assert document.text([table]).splitlines() == ["caption", "name    n", "a       1", "long  200"]


def test_saved_runs_keep_what_was_promised() -> None:
    assert not broken(newest_run(RESULTS, "museum"))
    assert all(row["within"] for row in newest_run(RESULTS, "theory")["rows"])
    assert all(goal.kept for goal in goals(newest_run(RESULTS, "microscope-fitted")))


def test_the_page_is_what_the_saved_runs_give(tmp_path: Path) -> None:
    write_page(RESULTS, tmp_path / "capacity.md")
    assert (tmp_path / "capacity.md").read_text() == PAGE.read_text()
    drawn = {path.name for path in (tmp_path / "capacity").iterdir()}
    assert drawn == {path.name for path in PAGE.with_suffix("").iterdir()}


def test_a_page_without_runs_says_which_to_make(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="vitrine-capacity validate theory --results"):
        page_parts(tmp_path)


def test_every_kind_of_run_is_saved() -> None:
    assert all(newest_run(RESULTS, name)["replications"] >= 2 for name in RUNS)
