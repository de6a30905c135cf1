"""Processes: started, found again, stopped as a container would be."""

import json
import os
import socket
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from rigs.free_port import free_port
from vitrine.local import process
from vitrine.local.process import Process, ProcessDied, Running
from vitrine.local.progress import Progress
from vitrine.local.up import down


def python(name: str, code: str, stop_seconds: float = 60.0) -> Process:
    return Process(
        name=name,
        command=(sys.executable, "-c", code),
        environment={"PATH": os.environ["PATH"]},
        folder=Path.cwd(),
        stop_seconds=stop_seconds,
    )


def start_ready(item: Process, directory: Path) -> Running:
    """Start what prints `ready` once the signals that it gets do as the test has it."""
    started = process.start(item, directory)
    while "ready" not in started.last_lines():
        process.require_alive(started)
        time.sleep(0.02)
    return started


def test_a_started_process_is_found_again_and_stopped(tmp_path: Path) -> None:
    started = process.start(python("sleeper", "import time; time.sleep(60)"), tmp_path)
    assert process.read_notes(tmp_path) == [started]
    assert started.alive
    assert process.stop(started, tmp_path)
    assert not started.alive
    assert process.read_notes(tmp_path) == []


def test_death_at_start_is_reported_with_the_end_of_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On a busy machine an interpreter is up, and ends, only after a while.
    monkeypatch.setattr(process, "STARTED_SECONDS", process.READY_SECONDS)
    with pytest.raises(ProcessDied, match="no such configuration"):
        process.start(python("broken", "raise SystemExit('no such configuration')"), tmp_path)


def test_a_process_counts_as_healthy_when_its_check_succeeds(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    code = f"import time; time.sleep(0.5); open('{ready}', 'w').close(); time.sleep(60)"
    sleeper = replace(python("sleeper", code), health_check=("test", "-e", str(ready)))
    started = process.start(sleeper, tmp_path)
    process.wait_until_healthy(sleeper, started)
    assert ready.exists()
    never = replace(sleeper, health_check=("false",))
    with pytest.raises(TimeoutError, match="sleeper is not healthy"):
        process.wait_until_healthy(never, started, 0.2)
    process.stop(started, tmp_path)


def test_processes_stop_in_reverse_order_of_start(tmp_path: Path) -> None:
    code = (
        "import signal, sys, time\n"
        "def end(*_):\n"
        "    open('{out}', 'a').write('{name} ')\n"
        "    sys.exit()\n"
        "signal.signal(signal.SIGTERM, end)\n"
        "print('ready', flush=True)\n"
        "time.sleep(60)\n"
    )
    for name in ("first", "second", "third"):
        start_ready(python(name, code.format(out=tmp_path / "ended", name=name)), tmp_path)
    assert process.stop_all(tmp_path) == []
    assert (tmp_path / "ended").read_text().split() == ["third", "second", "first"]


def test_what_ignores_sigterm_is_killed_after_its_stop_timeout(tmp_path: Path) -> None:
    code = (
        "import signal, time\n"
        "signal.signal(15, signal.SIG_IGN)\n"
        "print('ready', flush=True)\n"
        "time.sleep(60)\n"
    )
    deaf = start_ready(python("deaf", code, stop_seconds=0.3), tmp_path)
    assert process.stop_all(tmp_path) == ["deaf"]
    assert not deaf.alive


def test_children_of_a_stopped_process_do_not_live_on(tmp_path: Path) -> None:
    code = (
        "import subprocess, time\n"
        "child = subprocess.Popen(['sleep', '60'])\n"
        "print('ready', child.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    started = start_ready(python("parent", code), tmp_path)
    child = int(started.last_lines().split()[1])
    process.stop(started, tmp_path)
    assert process._process_start(child) is None


@pytest.mark.slow
def test_the_port_of_a_killed_process_is_free_once_it_is_stopped(tmp_path: Path) -> None:
    port = free_port()
    # Threads hold the port after the first one is a zombie: memory is given back before ports.
    code = (
        "import signal, socket, threading, time\n"
        "signal.signal(15, signal.SIG_IGN)\n"
        f"server = socket.create_server(('127.0.0.1', {port}))\n"
        "for _ in range(8):\n"
        "    threading.Thread(target=time.sleep, args=(60,)).start()\n"
        "memory = b'x' * 2**30\n"
        "print('ready', flush=True)\n"
        "time.sleep(60)\n"
    )
    started = start_ready(python("server", code, stop_seconds=0), tmp_path)
    process.stop(started, tmp_path)
    with socket.create_server(("127.0.0.1", port)):
        pass


def test_what_the_kernel_has_not_removed_yet_is_said_and_can_be_stopped_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = process.start(python("sleeper", "import time; time.sleep(60)"), tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(process, "wait_for_groups", lambda groups, seconds: groups)
        with pytest.raises(TimeoutError, match="sleeper"):
            down(tmp_path, Progress())
    assert process.read_notes(tmp_path) == [started]
    assert down(tmp_path, Progress())
    assert process.read_notes(tmp_path) == []


def test_another_process_with_the_same_number_is_left_alone(tmp_path: Path) -> None:
    started = process.start(python("sleeper", "import time; time.sleep(60)"), tmp_path)
    note = tmp_path / "run" / "sleeper.json"
    note.write_text(json.dumps(json.loads(note.read_text()) | {"birth": started.birth - 1}))
    stranger = process.read_notes(tmp_path)[0]
    assert not stranger.alive
    process.stop(stranger, tmp_path)
    assert started.alive
    process.stop(started, tmp_path)
