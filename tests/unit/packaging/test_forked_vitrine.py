"""A forked `vitrine` is what its script is: what it says and returns, where, and how long."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.forked_vitrine import run_vitrine
from vitrine.bootstrap.local_service import DIRECTORY_VARIABLE, REPOSITORY

SCRIPT = REPOSITORY / ".venv" / "bin" / "vitrine"


@pytest.fixture
def variables(tmp_path: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return kept | {"COLUMNS": "80", DIRECTORY_VARIABLE: str(tmp_path / "none")}


def run_script(words: list[str], variables: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run([SCRIPT, *words], env=variables, capture_output=True, text=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["image", "rename", "--help"], id="on standard output"),
        pytest.param(["nope"], id="on standard error"),
        pytest.param(["status", "--json"], id="where nothing runs"),
    ],
)
def test_it_says_and_returns_what_the_script_does(
    words: list[str], variables: dict[str, str]
) -> None:
    forked, script = run_vitrine(words, variables), run_script(words, variables)
    assert forked.stdout + forked.stderr
    assert (forked.returncode, forked.stdout, forked.stderr) == (
        script.returncode,
        script.stdout,
        script.stderr,
    )


def test_it_works_in_the_folder_that_its_caller_is_in(
    variables: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.tif").write_bytes(b"no picture")
    words = ["pyramid", "relayout", "s.tif", "t.tif"]
    forked = run_vitrine(words, variables)
    assert forked.returncode
    assert "s.tif" in forked.stderr
    assert not (tmp_path / "t.tif").exists()
    assert run_script(words, variables).stderr == forked.stderr


def test_it_ends_when_its_time_is_over(variables: dict[str, str]) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        run_vitrine(["status"], variables, seconds=0)


@pytest.mark.slow
def test_what_is_forked_has_neither_threads_nor_the_library_that_starts_them() -> None:
    script = (
        "import os, sys, tests.imported_vitrine\n"
        "print(len(os.listdir('/proc/self/task')), 'pyvips' in sys.modules)"
    )
    counted = subprocess.run(
        [sys.executable, "-c", script], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    assert counted.stdout.split() == ["1", "False"]
