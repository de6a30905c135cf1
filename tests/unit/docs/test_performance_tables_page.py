"""The page of tables says what the saved runs say, whichever the index names."""

import json
from pathlib import Path
from typing import Any

from docs.build.performance_tables_page import performance_tables_page
from docs.build.saved_runs import BUSY, INDEX, cite, read_index
from tests.unit.loadtest.load_test_result import result
from tests.unit.loadtest.museum_run import figures_of, round_of
from tests.unit.loadtest.renderers_run import renderers_run
from tests.unit.loadtest.workers_run import figures_of as workers_figures
from tests.unit.loadtest.workers_run import round_of as workers_round

MACHINE = {"measured_at": "2026-11-21T12:00:00", "cores": 2, "commit": "abc"}
ENTRY = """
[{name}]
folder = "{name}"
shows = "Something"
commands = ["vitrine-loadtest study museum"]
quoted_by = ["docs/explanations/performance.md"]
"""


def save(results: Path, name: str, bench: str, figures: dict[str, Any]) -> None:
    folder = results / name
    folder.mkdir(parents=True)
    run = {"bench": bench, "figures": figures, "machine": MACHINE}
    (folder / "run.json").write_text(json.dumps(run))
    with (results / INDEX).open("a") as index:
        index.write(ENTRY.format(name=name))


def tables(results: Path) -> str:
    return performance_tables_page(read_index(results))


def test_a_page_without_any_run_is_a_page(tmp_path: Path) -> None:
    (tmp_path / INDEX).touch()
    assert tables(tmp_path).startswith("# Tables of the studies")
    assert "##" not in tables(tmp_path)


def test_each_study_has_its_tables(tmp_path: Path) -> None:
    save(tmp_path, "a-report", "report", figures_of([round_of("a", 1, [0.1] * 200)]))
    save(tmp_path, "a-workers", "workers", workers_figures([workers_round(2, 1, 10.0)]))
    save(tmp_path, "a-loadtest", "loadtest", result())
    page = tables(tmp_path)
    assert "| src min | src max | derv sz | # req | # fail | median | avg | min | max |" in page
    assert "| iipsrv processes | bench.py params | requests/second | worst response, s |" in page
    assert page.index("a-report") < page.index("a-workers") < page.index("a-loadtest")


def test_what_makes_a_run_worthless_stands_above_its_tables(tmp_path: Path) -> None:
    busy = round_of("a", 1, [0.1] * 200, client_bound=True)
    save(tmp_path, "a-report", "report", figures_of([busy]))
    page = tables(tmp_path)
    assert page.index("**a at 10 connections is client-bound") < page.index("| src min |")


def test_headings_of_a_study_stand_below_that_of_its_run(tmp_path: Path) -> None:
    row = {"label": "replayed", "bed": "vitrine", "requests": 1, "failures": 0}
    save(tmp_path, "a-deliver", "deliver", {"scenarios": {"replay": {"rows": [row]}}})
    assert "\n## a-deliver\n" in tables(tmp_path)
    assert "\n#### Replayed requests" in tables(tmp_path)


def test_runs_of_other_commands_are_left_out(tmp_path: Path) -> None:
    save(tmp_path, "a-bombs", "bombs", {})
    assert "a-bombs" not in tables(tmp_path)


def test_a_run_from_a_busy_machine_says_so(tmp_path: Path) -> None:
    figures = figures_of([round_of("a", 1, [0.1] * 200)])
    save(tmp_path, "a-report", "report", figures)
    assert BUSY not in tables(tmp_path)
    with (tmp_path / INDEX).open("a") as index:
        index.write("busy = true\n")
    assert BUSY in tables(tmp_path)
    assert BUSY in cite(read_index(tmp_path), "a-report")


def test_the_study_of_renderers_has_its_tables_and_sources(tmp_path: Path) -> None:
    save(tmp_path, "a-renderers", "renderers", renderers_run())
    page = tables(tmp_path)
    assert "| request | ours | iipsrv | iipsrv-memcached | iipsrv-memcached, again |" in page
    assert "- large-400: ENLARGED 5 times." in page
    assert "| request | iipsrv | gateway |" in page
