"""A saved run says from which commit it comes, and is refused before it measures if it cannot."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

import capacity.cli
import loadtest.cli
from loadtest.cli.clean_tree import VARIABLE
from loadtest.report import saved_run, source_commit
from loadtest.report.source_commit import NO_REPOSITORY, SourceCommit

DIRTY = SourceCommit("abc1234-dirty", "0" * 64)


def git(folder: Path, *words: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    command = ["git", "-C", str(folder), *identity, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    (tmp_path / "a.py").write_text("a = 1\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "One")
    return tmp_path


def test_a_clean_tree_is_its_commit(repository: Path) -> None:
    commit = source_commit.source_commit(repository)
    assert commit.as_json() == {"commit": git(repository, "rev-parse", "--short", "HEAD")}
    assert commit.clean


def test_saved_runs_make_no_tree_dirty(repository: Path) -> None:
    (repository / "results/2026-01-01-a").mkdir(parents=True)
    (repository / "results/2026-01-01-a/run.json").write_text("{}")
    assert source_commit.source_commit(repository).clean


@pytest.mark.parametrize("name", ["a.py", "new.py"])
def test_a_changed_and_a_new_file_are_in_the_hash(repository: Path, name: str) -> None:
    hashes = set()
    for text in ("a = 2\n", "a = 3\n"):
        (repository / name).write_text(text)
        commit = source_commit.source_commit(repository)
        assert commit.name.endswith("-dirty")
        hashes.add(commit.as_json()["diff_sha256"])
    assert len(hashes) == 2


def test_a_folder_that_is_not_the_top_of_a_tree_is_no_repository(repository: Path) -> None:
    inside = repository / "lib"
    inside.mkdir()
    assert source_commit.source_commit(inside) == SourceCommit(NO_REPOSITORY)
    assert SourceCommit(NO_REPOSITORY).clean


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (loadtest.cli, ["study", "museum", "--results"]),
        (loadtest.cli, ["study", "encoders", "--results"]),
        (loadtest.cli, ["run", "scenarios/visitors.toml", "--results"]),
        (capacity.cli, ["validate", "museum", "--results"]),
    ],
)
def test_a_dirty_tree_is_refused_before_anything_is_measured(
    program: object, words: Sequence[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setattr(source_commit, "source_commit", lambda: DIRTY)
    result = CliRunner().invoke(program.build_app(), [*words, str(tmp_path)])  # type: ignore[attr-defined]
    assert result.exit_code == 2
    assert "differs from commit abc1234" in result.stderr
    assert "--allow-dirty" in result.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_dirty_tree_that_is_allowed_leaves_its_hash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setattr(source_commit, "source_commit", lambda: DIRTY)
    words = ["--allow-dirty", "validate", "museum", "--replications", "2", "--workers", "1"]
    result = CliRunner().invoke(capacity.cli.build_app(), [*words, "--results", str(tmp_path)])
    assert result.exit_code in (0, 1), result.stderr
    [path] = tmp_path.glob("*-capacity-museum/run.json")
    assert json.loads(path.read_text())["diff_sha256"] == DIRTY.diff_sha256


def test_a_saved_run_names_machine_and_commit(tmp_path: Path) -> None:
    report = saved_run.Report(bench="a", title="A", parts=lambda figures: [])
    run = saved_run.save_run(report, {"b": 1}, tmp_path / "folder")
    assert json.loads((tmp_path / "folder/run.json").read_text()) == run
    assert {"commit", "processor", "measured_at"} <= set(run["machine"])
