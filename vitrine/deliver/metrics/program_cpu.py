"""CPU of programs on this machine, of all their processes, dead children included: from /proc."""

import os
import time
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
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    ended = sum(int(ticks) for ticks in fields[13:15]) / _TICKS  # the children waited for
    living = sum(_child_seconds(child) for child in _child_pids(pid))
    return own_seconds(pid, fields) + ended + living


def own_seconds(pid: int, fields: list[str]) -> float:
    """Return what a living process itself used, from its clock: /proc counts in steps of 10 ms.

    `fields` are those of /proc/PID/stat behind the name of its command.

    The clock's number is that of clock_getcpuclockid(3), which Python does not have.
    """
    try:
        return time.clock_gettime(~pid << 3 | 2)
    except OSError:
        return sum(int(ticks) for ticks in fields[11:13]) / _TICKS


def _child_seconds(pid: int) -> float:
    try:
        return tree_seconds(pid)
    except OSError:
        return 0.0  # it ended meanwhile: its parent's figure has it next time


def _child_pids(pid: int) -> list[int]:
    numbers: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        numbers += map(int, (task / "children").read_text().split())
    return numbers
