"""Processes whose folder was deleted while they ran."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from vitrine.local import orphans, process
from vitrine.local.orphans import find_orphans, stop_orphans
from vitrine.local.process import Process, Running


def sleeper(directory: Path, code: str = "import time; time.sleep(60)") -> Running:
    made = Process(
        name="sleeper",
        command=(sys.executable, "-c", code),
        environment={"PATH": os.environ["PATH"]},
        folder=Path.cwd(),
        stop_seconds=5,
    )
    return process.start(made, directory)


def test_what_runs_on_after_its_folder_was_deleted_is_stopped(tmp_path: Path) -> None:
    directory = tmp_path / "service"
    child = "import subprocess; subprocess.run(['sleep', '60'])"
    started = [sleeper(directory), sleeper(directory, child)]
    shutil.rmtree(directory)
    assert process.read_notes(directory) == []
    assert stop_orphans(directory) == 2
    assert not any(item.alive for item in started)
    assert find_orphans(directory) == set()


def test_what_does_not_end_in_its_time_is_dead_when_it_counts_as_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(orphans, "STOP_SECONDS", 0.0)
    directory = tmp_path / "service"
    # The kernel takes a moment to give its memory back.
    stubborn = "import signal, time; signal.signal(15, lambda *_: None)\nx = b'x' * 2**28\n"
    started = sleeper(directory, stubborn + "while True: time.sleep(60)")
    shutil.rmtree(directory)
    assert stop_orphans(directory) == 1
    assert not started.alive


def test_the_service_of_another_folder_is_left_alone(tmp_path: Path) -> None:
    other = tmp_path / "service-of-another"
    started = sleeper(other)
    assert stop_orphans(tmp_path / "service") == 0
    assert started.alive
    process.stop(started, other)
