"""scripts/setup when things go wrong, in a copy that holds nothing else."""

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pip
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
    iipsrv = tmp_path / "containers" / "iipsrv"
    (iipsrv / "patches").mkdir(parents=True)
    (iipsrv / "patches" / "0001.patch").touch()
    (iipsrv / "build").write_text("#!/bin/sh\nexit 0\n")
    (iipsrv / "build").chmod(0o755)
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "requirements" / "service.txt").touch()
    (tmp_path / "requirements" / "dev.txt").touch()
    (tmp_path / "requirements" / "bootstrap.txt").write_text("uv\n")
    return tmp_path


def set_up(
    clone: Path, *options: str, elsewhere: str | None = None
) -> subprocess.CompletedProcess[str]:
    path = f"{clone / 'programs'}:{os.environ['PATH'] if elsewhere is None else elsewhere}"
    return subprocess.run(
        ["/bin/sh", clone / "scripts" / "setup", *options],
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
    )


def write_finished(clone: Path) -> None:
    """Make all that a setup of the service makes, as far as it looks at it."""
    steps = {
        "python": ("requirements/bootstrap.txt", "requirements/service.txt", "pyproject.toml"),
        "emulator": ("requirements/emulator.txt",),
        "node": ("package.json", "package-lock.json", ".npmrc"),
        "viewers": ("package.json", "scripts/fetch_viewers.py"),
        "iipsrv": ("containers/iipsrv/build", "containers/iipsrv/patches/0001.patch"),
        "layers": (
            *(f"requirements/{name}.txt" for name in ("powertools", "libvips", "documents")),
            "layers/build.py",
        ),
    }
    made = (".venv/bin/vitrine", ".venv/bin/python", ".venv/bin/uv", ".emulator/bin/python")
    for path in (
        *made,
        ".build/iipsrv/iipsrv.fcgi",
        *(name for all_ in steps.values() for name in all_),
    ):
        (clone / path).parent.mkdir(parents=True, exist_ok=True)
        (clone / path).touch(0o755)
    for folder in (".build/stamps", ".build/layers", ".build/viewers", "node_modules"):
        (clone / folder).mkdir(parents=True, exist_ok=True)
    for step, names in steps.items():
        contents = b"".join((clone / name).read_bytes() for name in names)
        (clone / ".build/stamps" / step).write_text(hashlib.sha256(contents).hexdigest())
    (clone / ".venv/bin/uv").write_text('#!/bin/sh\necho "$@" >> said\n')


def test_the_service_alone_does_not_keep_what_only_installs(clone: Path) -> None:
    write_finished(clone)
    done = set_up(clone)
    assert done.returncode == 0, done.stderr
    assert (clone / "said").read_text().startswith("pip uninstall ")


def test_layers_can_be_built_after_the_service_alone_was_set_up(clone: Path) -> None:
    write_finished(clone)
    (clone / ".venv/bin/uv").unlink()
    (clone / ".venv/bin/python").write_text('#!/bin/sh\necho "$@" >> said\n')
    assert set_up(clone, "--synth").returncode == 0
    assert "-r requirements/bootstrap.txt" in (clone / "said").read_text()


def test_what_only_installs_is_kept_with_the_packages_of_tests(clone: Path) -> None:
    write_finished(clone)
    (clone / ".venv/bin/pytest").touch(0o755)
    assert set_up(clone).returncode == 0
    assert not (clone / "said").exists()


def write_df(clone: Path, free_mebibytes: int) -> None:
    """A df that says so: a disk of that size takes root to make."""
    program = clone / "programs" / "df"
    program.write_text(f"#!/bin/sh\necho Avail\necho d b u {free_mebibytes * 1024} c m\n")
    program.chmod(0o755)


def forbid_environments(clone: Path) -> None:
    """A python3 that makes no virtual environment, which takes seconds."""
    program = clone / "programs" / "python3"
    program.write_text(
        f'#!/bin/sh\n[ "$1 $2" = "-m venv" ] && exit 9\nexec {sys.executable} "$@"\n'
    )
    program.chmod(0o755)


def make_environment(clone: Path) -> None:
    """A virtual environment with this one's pip; one of its own takes seconds to be installed."""
    venv.create(clone / ".venv")
    (ours,) = pip.__path__
    (packages,) = (clone / ".venv").glob("lib/python*/site-packages")
    (packages / "pip").symlink_to(ours)


def test_a_full_disk_is_one_line_before_anything_is_made(clone: Path) -> None:
    write_df(clone, 700)
    done = set_up(clone)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.splitlines() == [
        f"setup: {clone} has 700 MiB free, 1210 MiB are needed: make room, then run it again"
    ]
    assert not (clone / ".venv").exists()


def test_what_is_there_already_needs_no_room(clone: Path) -> None:
    write_df(clone, 1209)
    (clone / ".build").mkdir()
    (clone / ".build" / "layer").write_bytes(os.urandom(2 * 2**20))
    forbid_environments(clone)
    done = set_up(clone)
    assert done.returncode == 9
    assert "free" not in done.stderr


def test_a_virtual_environment_that_fails_halfway_is_removed(clone: Path) -> None:
    write_df(clone, 5000)
    done = set_up(clone)
    assert done.returncode != 0
    assert "--require-hashes" in done.stderr
    assert not (clone / ".venv").exists()


POSIX = ("awk", "cat", "cut", "date", "du", "grep", "mkdir", "rm", "sed", "tail", "tr", "dirname")
"""Programs that every system has; of Debian's programs, and of GNU's own, none is among them."""


def without_debian(clone: Path) -> None:
    """Fill `programs` with what a system has that is no Debian, for a user who is not root."""
    write_df(clone, 5000)
    for name in POSIX:
        (clone / "programs" / name).symlink_to(shutil.which(name) or name)
    # Not the one on the path, which may be a script that needs bash.
    (clone / "programs" / "python3").symlink_to(Path(sys.executable).resolve())
    identity = clone / "programs" / "id"
    identity.write_text("#!/bin/sh\necho 501\n")
    identity.chmod(0o755)


def test_templates_need_neither_debian_nor_root(clone: Path) -> None:
    without_debian(clone)
    make_environment(clone)
    done = set_up(clone, "--synth", elsewhere="")
    # It has come to the packages of Python, whose requirement is neither pinned nor hashed.
    assert done.stdout.splitlines() == ["setup: Python packages (.venv) …"]
    assert "--require-hashes" in done.stderr


def test_the_service_on_this_machine_needs_debian_and_says_what_does_not(clone: Path) -> None:
    without_debian(clone)
    done = set_up(clone, elsewhere="")
    assert done.returncode == 1
    assert done.stderr.startswith("setup: this is not a Debian system: dpkg-query is missing.")
    assert "`make synth` and a deployment to AWS do not" in done.stderr


def test_a_registry_that_does_not_answer_is_named_in_one_line(
    clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    (clone / "requirements" / "bootstrap.txt").write_text(f"uv==0.13.8 --hash=sha256:{64 * '0'}\n")
    make_environment(clone)
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
