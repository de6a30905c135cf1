"""CPU of programs on this machine, of all their processes, dead children included: from /proc."""

import os
import time
from contextlib import suppress
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
PID_FILES = {"nginx": ("nginx/nginx.pid", "nginx"), "iipsrv": ("run/iipsrv.pid", "multiwatch")}
"""Program → file with its first process's number, in the work directory, and that process's name:
in another container's namespace the number belongs to somebody else."""


def read_programs(work: Path) -> dict[str, float]:
    """Return CPU seconds since their start of those programs of the task that can be seen."""
    found: dict[str, float] = {}
    for program, (file, name) in PID_FILES.items():
        try:
            pid = int((work / file).read_text())
            if Path(f"/proc/{pid}/comm").read_text().strip() == name:
                found[program] = tree_seconds(pid)
        except (OSError, ValueError):
            continue
    return found


def tree_seconds(pid: int) -> float:
    """Return CPU seconds of a process, of its descendants, and of those that have ended.

    Raises OSError if there is no such process.
    """
    seconds = _process_seconds(pid)
    for descendant in process_tree(pid)[1:]:
        with suppress(OSError):  # it ended meanwhile: its parent's figure has it next time
            seconds += _process_seconds(descendant)
    return seconds


def process_tree(pid: int) -> list[int]:
    """Return a process and all its living descendants, by their numbers."""
    found = [pid]
    with suppress(OSError):  # it has ended
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                found += process_tree(int(child))
    return found


def _process_seconds(pid: int) -> float:
    """Return what a process used, and its children that ended and were waited for.

    What itself used is from its clock, since /proc counts in steps of 10 ms. The clock's number is
    that of clock_getcpuclockid(3), which Python does not have.
    """
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    ended = sum(map(int, fields[13:15])) / _TICKS
    try:
        return time.clock_gettime(~pid << 3 | 2) + ended
    except OSError:
        return sum(map(int, fields[11:13])) / _TICKS + ended
