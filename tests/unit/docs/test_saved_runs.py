"""The saved runs: few, small, named in one index, and every run that a text cites exists."""

import re
import subprocess
from pathlib import Path

import pytest

from docs.build.saved_runs import INDEX, ROOT, read_index

CITATION = re.compile(r"\b20\d\d-\d\d-\d\d-[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
SOURCES = ("docs", "vitrine", "loadtest", "capacity", "stacks", "lambdas", "scripts", "scenarios")
TEXTS = sorted(
    path
    for path in [ROOT / "README.md", *(p for name in SOURCES for p in (ROOT / name).rglob("*"))]
    if path.suffix in {".md", ".py", ".toml"}
)
PROGRAMS = ("vitrine-", "python -m tests.benchmarks.")
RUNS = read_index()


def citations(path: Path) -> set[str]:
    return set(CITATION.findall(path.read_text(encoding="utf-8")))


def committed() -> list[Path]:
    """Return the committed files of results/: a run of today may lie next to them."""
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "results"]
    names = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [ROOT / name for name in filter(None, names.split("\0")) if Path(name).name != INDEX]


def test_every_folder_is_in_the_index_and_the_reverse() -> None:
    folders = {path.parent for path in committed()}
    assert folders == {run.path for run in RUNS.values()}
    assert len(folders) <= 21


def test_runs_are_json_and_one_megabyte_together() -> None:
    assert {path.suffix for path in committed()} == {".json"}
    assert sum(path.stat().st_size for path in committed()) <= 1_000_000


@pytest.mark.parametrize("name", RUNS)
def test_every_entry_says_what_it_shows_and_how_to_repeat_it(name: str) -> None:
    entry = RUNS[name]
    assert entry.shows
    assert all(command.startswith(PROGRAMS) for command in entry.commands)
    assert entry.commands
    assert entry.quoted_by


def test_every_run_that_is_cited_is_in_the_index() -> None:
    folders = {run.path.name for run in RUNS.values()}
    missing = {str(path): citations(path) - folders for path in TEXTS}
    assert not {path: names for path, names in missing.items() if names}


@pytest.mark.slow
def test_the_index_names_every_text_that_cites_a_run() -> None:
    for run in RUNS.values():
        citing = {str(path.relative_to(ROOT)) for path in TEXTS if run.path.name in citations(path)}
        assert citing == set(run.quoted_by), run.name
