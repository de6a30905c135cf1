import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.patience import SECONDS, until

SCRIPT = Path(__file__).with_name("forked_processes.py")


@contextmanager
def started(folder: Path, manner: str = "") -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT), str(folder), manner], stderr=subprocess.PIPE
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def pids(folder: Path, number: int) -> set[int]:
    """Return what processes were, in turn, the one with this number."""
    return {int(path.name.partition("-")[2]) for path in folder.glob(f"{number}-*")}


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_killed_process_is_replaced_and_the_others_go_on(tmp_path: Path) -> None:
    with started(tmp_path) as parent:
        until(lambda: bool(pids(tmp_path, 1) and pids(tmp_path, 2)))
        [victim], [other] = pids(tmp_path, 1), pids(tmp_path, 2)
        os.kill(victim, signal.SIGKILL)
        until(lambda: len(pids(tmp_path, 1)) == 2)
        [successor] = pids(tmp_path, 1) - {victim}
        assert is_running(other)
        assert is_running(successor)
        assert pids(tmp_path, 2) == {other}
        assert parent.poll() is None


def test_sigterm_ends_all_of_them_and_none_is_replaced(tmp_path: Path) -> None:
    with started(tmp_path) as parent:
        until(lambda: bool(pids(tmp_path, 1) and pids(tmp_path, 2)))
        parent.send_signal(signal.SIGTERM)
        assert parent.wait(SECONDS) == 0
        found = pids(tmp_path, 1) | pids(tmp_path, 2)
        assert len(found) == 2
        assert not any(map(is_running, found))


def test_they_end_with_a_parent_that_was_killed(tmp_path: Path) -> None:
    with started(tmp_path) as parent:
        until(lambda: bool(pids(tmp_path, 1) and pids(tmp_path, 2)))
        parent.kill()
        found = pids(tmp_path, 1) | pids(tmp_path, 2)
        until(lambda: not any(map(is_running, found)))


def test_a_process_that_is_stuck_is_killed_and_replaced(tmp_path: Path) -> None:
    with started(tmp_path, "deaf"):
        until(lambda: len(pids(tmp_path, 1)) >= 2)
        assert len(pids(tmp_path, 2)) == 1


def test_what_can_never_serve_ends_with_an_error(tmp_path: Path) -> None:
    with started(tmp_path, "never") as parent:
        assert parent.wait(SECONDS) == 1
        assert parent.stderr is not None
        assert b"NeverServed: A process of the gateway ended with 1" in parent.stderr.read()


@pytest.mark.parametrize("number", [1, 2])
def test_one_is_replaced_however_often_it_is_killed(tmp_path: Path, number: int) -> None:
    with started(tmp_path):
        for count in range(1, 5):
            until(lambda count=count: len(pids(tmp_path, number)) == count)  # type: ignore[misc]
            for pid in filter(is_running, pids(tmp_path, number)):
                os.kill(pid, signal.SIGKILL)
