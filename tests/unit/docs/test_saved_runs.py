"""The saved runs: few, small, named in one index, and every run that a text cites exists."""

import re
import subprocess
from pathlib import Path

from docs.build.saved_runs import INDEX, ROOT, read_index

CITATION = re.compile(r"\b20\d\d-\d\d-\d\d-[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
SOURCES = (
    "docs",
    "vitrine",
    "rigs",
    "loadtest",
    "capacity",
    "stacks",
    "lambdas",
    "scripts",
    "scenarios",
)
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
    assert len(folders) <= 24


def test_runs_are_json_and_small_together() -> None:
    assert {path.suffix for path in committed()} == {".json"}
    assert sum(path.stat().st_size for path in committed()) <= 1_120_000


def test_every_entry_says_what_it_shows_and_how_to_repeat_it() -> None:
    for name, entry in RUNS.items():
        assert entry.shows, name
        assert entry.commands, name
        assert all(command.startswith(PROGRAMS) for command in entry.commands), name
        assert entry.quoted_by, name


def test_every_run_that_is_cited_is_in_the_index() -> None:
    folders = {run.path.name for run in RUNS.values()}
    missing = {str(path): citations(path) - folders for path in TEXTS}
    assert not {path: names for path, names in missing.items() if names}


def test_the_index_names_every_text_that_cites_a_run() -> None:
    cited = {str(path.relative_to(ROOT)): citations(path) for path in TEXTS}
    for run in RUNS.values():
        citing = {path for path, names in cited.items() if run.path.name in names}
        assert citing == set(run.quoted_by), run.name
