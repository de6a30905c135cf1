"""Processes that outlive the command that started them: start, find again, stop.

Each runs in its own session and has a note, `run/<name>.json`, that tells it from a later process
with the same number by its start time.
"""

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Set
from dataclasses import asdict, dataclass
from pathlib import Path

STARTED_SECONDS = 0.3
"""Seconds that a process must live to count as started."""
READY_SECONDS = 120.0
"""Seconds until a living process must do its work, on a machine with much to do."""
KILLED_SECONDS = 60.0
"""Seconds that the kernel may take to remove what it killed: seconds for a gigabyte, if others
work."""
LAST_LINES = 15


class ProcessDied(RuntimeError):
    """A process ended at once; the message holds the last lines of its log."""


@dataclass(frozen=True, kw_only=True)
class Process:
    """What to run. `stop_seconds` is how long it may take to end after SIGTERM.

    `health_check` is a command that succeeds once the process does its work; it may be empty.
    """

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    folder: Path
    stop_seconds: float
    health_check: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Running:
    """A process that was started; `birth` is its start time in the kernel's clock ticks."""

    name: str
    pid: int
    birth: int
    stop_seconds: float
    started_at: float
    log: str

    @property
    def alive(self) -> bool:
        """True if this very process still runs."""
        return _process_start(self.pid) == self.birth

    def last_lines(self, count: int = LAST_LINES) -> str:
        """Return the end of its log."""
        return "\n".join(Path(self.log).read_text(errors="replace").splitlines()[-count:])


def log_path(directory: Path, name: str) -> Path:
    """Return the path of the log of the process `name`."""
    return directory / "logs" / f"{name}.log"


def start(process: Process, directory: Path) -> Running:
    """Start `process` and write a note of it. Raises ProcessDied if it ends at once."""
    log = log_path(directory, process.name)
    for folder in (log.parent, directory / "run"):
        folder.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as output:
        child = subprocess.Popen(
            process.command,
            cwd=process.folder,
            env=dict(process.environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    child.returncode = (
        0  # from here on its note identifies it; otherwise Popen warns that it still runs
    )
    running = Running(
        name=process.name,
        pid=child.pid,
        birth=_process_start(child.pid) or 0,
        stop_seconds=process.stop_seconds,
        started_at=time.time(),
        log=str(log),
    )
    _note_path(directory, process.name).write_text(json.dumps(asdict(running)))
    require_alive(running, STARTED_SECONDS)
    return running


def require_alive(running: Running, seconds: float = 0.0) -> None:
    """Watch the process for `seconds`. Raises ProcessDied as soon as it has ended."""
    deadline = time.monotonic() + seconds
    while running.alive and time.monotonic() < deadline:
        time.sleep(0.05)
    if not running.alive:
        raise ProcessDied(
            f"{running.name} ended; the last lines of {running.log}:\n{running.last_lines()}"
        )


def wait_until_healthy(process: Process, running: Running, seconds: float = READY_SECONDS) -> None:
    """Wait until its health check succeeds. Raises ProcessDied, TimeoutError."""
    deadline = time.monotonic() + seconds
    while process.health_check:
        require_alive(running)
        check = subprocess.run(
            process.health_check,
            cwd=process.folder,
            env=dict(process.environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
        )
        if check.returncode == 0:
            return
        if time.monotonic() > deadline:
            raise TimeoutError(f"{running.name} is not healthy after {seconds:g} s: {running.log}")
        time.sleep(0.1)


def read_notes(directory: Path) -> list[Running]:
    """Return every process that was started and not stopped, dead or alive, in order of start."""
    notes = [json.loads(path.read_text()) for path in (directory / "run").glob("*.json")]
    return sorted((Running(**note) for note in notes), key=lambda item: item.started_at)


def stop(running: Running, directory: Path) -> bool:
    """End the process as its container would be: SIGTERM, its stop timeout, SIGKILL for all.

    Returns False if it had to be killed. Its note is removed, unless the kernel has not removed all
    of it after KILLED_SECONDS: then it may still have a port, and is to be stopped once more.
    """
    if running.alive:
        os.kill(running.pid, signal.SIGTERM)
    in_time = _await_end(running, running.stop_seconds)
    left: set[int] = set()
    # Otherwise another process has this number by now.
    if _process_start(running.pid) in (None, running.birth):
        groups = _groups_of_session(running.pid) | {running.pid}
        for group in groups:
            with contextlib.suppress(ProcessLookupError, PermissionError):  # they ended with it
                os.killpg(group, signal.SIGKILL)
        left = wait_for_groups(groups, KILLED_SECONDS)
    with contextlib.suppress(ChildProcessError):  # started by another command
        os.waitpid(running.pid, os.WNOHANG)
    if not left:
        _note_path(directory, running.name).unlink(missing_ok=True)
    return in_time


def _await_end(running: Running, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while running.alive and time.monotonic() < deadline:
        time.sleep(0.05)
    return not running.alive


def stop_all(directory: Path) -> list[str]:
    """Stop every noted process, the last first; return the names of those that had to be killed."""
    return [item.name for item in reversed(read_notes(directory)) if not stop(item, directory)]


def wait_for_groups(groups: Set[int], seconds: float) -> set[int]:
    """Wait until no process of these groups has a file or port; return those left after `seconds`.

    A group is found by its processes, as one outlives the process that it has its number from.
    """
    deadline = time.monotonic() + seconds
    while (left := _running_groups(groups)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left


def _running_groups(groups: Set[int]) -> set[int]:
    return {group for group, _ in _groups_and_sessions()} & groups


def _groups_of_session(session: int) -> set[int]:
    """Return the process groups of a session: nginx has one of its own in its container's."""
    return {group for group, other in _groups_and_sessions() if other == session}


def _groups_and_sessions() -> set[tuple[int, int]]:
    """Return the process group and the session of every process that lives."""
    every = (_live_fields(int(entry.name)) for entry in Path("/proc").glob("[0-9]*"))
    return {(int(fields[2]), int(fields[3])) for fields in every if fields is not None}


def _note_path(directory: Path, name: str) -> Path:
    return directory / "run" / f"{name}.json"


def _process_start(pid: int) -> int | None:
    """Return a process's start time, in clock ticks of the kernel; None if it has ended."""
    fields = _live_fields(pid)
    return None if fields is None else int(fields[19])


def _live_fields(pid: int) -> list[str] | None:
    """Return the fields of /proc/PID/stat (proc(5)) from the third on; None if it has ended.

    A zombie has ended once its first thread is the only one: until then the others hold its
    memory, files and ports, for as long as the kernel needs to take them away.
    """
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = text.rpartition(")")[2].split()
    state, threads = fields[0], int(fields[17])
    return None if state == "X" or (state == "Z" and threads <= 1) else fields
