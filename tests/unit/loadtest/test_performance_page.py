"""The page of figures says what the saved runs say, whichever there are."""

import json
import shutil
from pathlib import Path
from typing import Any

from docs.build.performance_page import PAGE, RESULTS, performance_page
from tests.unit.loadtest.test_loadtest_page import result
from tests.unit.loadtest.test_studies_figures import figures_of, round_of
from tests.unit.loadtest.test_studies_workers import figures_of as workers_figures
from tests.unit.loadtest.test_studies_workers import round_of as workers_round

MACHINE = {"measured_at": "2026-11-21T12:00:00", "cores": 2, "commit": "abc"}


def save(results: Path, name: str, bench: str, figures: dict[str, Any]) -> Path:
    folder = results / name
    folder.mkdir(parents=True)
    run = {"bench": bench, "figures": figures, "machine": MACHINE}
    (folder / "run.json").write_text(json.dumps(run))
    return folder


def test_the_page_is_what_the_saved_runs_say() -> None:
    assert PAGE.read_text() == performance_page(), (
        "runs were added: python -m docs.build.performance_page > docs/explanations/performance.md"
    )


def test_a_page_without_any_run_is_a_page(tmp_path: Path) -> None:
    assert performance_page(tmp_path).startswith("# What it can do")
    assert "##" not in performance_page(tmp_path)


def test_each_study_has_its_tables(tmp_path: Path) -> None:
    save(tmp_path, "a-report", "report", figures_of([round_of("a", 1, [0.1] * 200)]))
    save(tmp_path, "a-workers", "workers", workers_figures([workers_round(2, 1, 10.0)]))
    save(tmp_path, "a-loadtest", "loadtest", result())
    page = performance_page(tmp_path)
    assert "| src min | src max | derv sz | # req | # fail | median | avg | min | max |" in page
    assert "| iipsrv processes | bench.py params | requests/second | worst response, s |" in page
    assert page.index("a-report") < page.index("a-workers") < page.index("a-loadtest")


def test_what_makes_a_run_worthless_stands_above_its_tables(tmp_path: Path) -> None:
    busy = round_of("a", 1, [0.1] * 200, client_bound=True)
    save(tmp_path, "a-report", "report", figures_of([busy]))
    page = performance_page(tmp_path)
    assert page.index("**a at 10 connections is client-bound") < page.index("| src min |")


def test_tables_that_a_bench_wrote_itself_are_quoted_below_their_run(tmp_path: Path) -> None:
    folder = save(tmp_path, "a-deliver", "deliver", {})
    (folder / "table.md").write_text("### Promised\n\n| a |\n|---|\n| 1 |\n")
    assert "### a-deliver" in performance_page(tmp_path)
    assert "\n#### Promised\n\n| a |\n" in performance_page(tmp_path)


def test_runs_of_other_benches_are_named(tmp_path: Path) -> None:
    save(tmp_path, "a-bombs", "bombs", {})
    (tmp_path / "not-a-run").mkdir()
    (tmp_path / "not-a-run" / "run.json").write_text('{"theory": 1}')
    page = performance_page(tmp_path)
    assert "- [a-bombs](../../results/a-bombs/run.json)" in page
    assert "not-a-run" not in page


def test_every_saved_run_of_today_can_be_quoted(tmp_path: Path) -> None:
    """Each by itself: none depends on another's being there."""
    for folder in RESULTS.iterdir():
        if (folder / "run.json").exists():
            alone = tmp_path / folder.name
            shutil.copytree(folder, alone / folder.name)
            assert performance_page(alone)
