"""scripts/setup when things go wrong, in a copy that holds nothing else."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from vitrine.bootstrap.local_service import REPOSITORY

pytestmark = pytest.mark.slow


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone whose first step must fail: its requirement is neither pinned nor hashed."""
    for folder in ("scripts", "requirements", "programs"):
        (tmp_path / folder).mkdir()
    shutil.copy(REPOSITORY / "scripts" / "setup", tmp_path / "scripts")
    (tmp_path / "scripts" / "debian-packages").write_text("# none\n")
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "requirements" / "service.txt").touch()
    (tmp_path / "requirements" / "dev.txt").touch()
    (tmp_path / "requirements" / "bootstrap.txt").write_text("uv\n")
    return tmp_path


def set_up(clone: Path) -> subprocess.CompletedProcess[str]:
    path = f"{clone / 'programs'}:{os.environ['PATH']}"
    return subprocess.run(
        [clone / "scripts" / "setup"],
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
    )


def write_df(clone: Path, free_mebibytes: int) -> None:
    """A df that says so: a disk of that size takes root to make."""
    program = clone / "programs" / "df"
    program.write_text(f"#!/bin/sh\necho Avail\necho ' {free_mebibytes}'\n")
    program.chmod(0o755)


def test_a_full_disk_is_one_line_before_anything_is_made(clone: Path) -> None:
    write_df(clone, 700)
    done = set_up(clone)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.splitlines() == [
        f"setup: {clone} has 700 MiB free, 1000 MiB are needed: make room, then run it again"
    ]
    assert not (clone / ".venv").exists()


def test_what_is_there_already_needs_no_room(clone: Path) -> None:
    write_df(clone, 999)
    (clone / ".build").mkdir()
    (clone / ".build" / "layer").write_bytes(os.urandom(2 * 2**20))
    assert "free" not in set_up(clone).stderr


def test_a_virtual_environment_that_fails_halfway_is_removed(clone: Path) -> None:
    write_df(clone, 5000)
    done = set_up(clone)
    assert done.returncode != 0
    assert "--require-hashes" in done.stderr
    assert not (clone / ".venv").exists()


def test_a_registry_that_does_not_answer_is_named_in_one_line(
    clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    (clone / "requirements" / "bootstrap.txt").write_text(f"uv==0.13.8 --hash=sha256:{64 * '0'}\n")
    last = set_up(clone).stderr.splitlines()[-1]
    assert last.startswith("setup: PyPI did not answer: is this machine online")


def test_the_service_alone_installs_no_packages_of_tests() -> None:
    lock = (REPOSITORY / "requirements" / "service.txt").read_text()
    locked = {line.partition("==")[0] for line in lock.splitlines() if "==" in line[:60]}
    assert {"aws-cdk-lib", "boto3", "pyvips", "typer", "uv", "uvloop"} <= locked
    assert not locked & {"mypy", "pytest", "locust", "playwright", "scipy", "matplotlib", "ruff"}


@pytest.mark.parametrize(
    ("target", "code", "sentence"),
    [
        ("status", 2, "Nothing is set up here yet: `make up` starts the service."),
        ("down", 0, "Nothing is running: `make up` has not been run here yet."),
    ],
)
def test_make_before_the_first_up_says_a_sentence(
    tmp_path: Path, target: str, code: int, sentence: str
) -> None:
    shutil.copy(REPOSITORY / "Makefile", tmp_path)
    # The tests run under make, too, which would say where it is.
    plain = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(["make", target], cwd=tmp_path, env=plain, capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (code, sentence)
