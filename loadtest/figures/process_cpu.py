"""CPU time and memory of a tree of processes, as Linux counts them (proc(5))."""

import os
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from vitrine.deliver.metrics.program_cpu import own_seconds

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
# Fields of /proc/PID/stat behind the command's name: user and system time of ended children.
_ENDED_TIMES = slice(13, 15)
_RESIDENT = 21


@dataclass(frozen=True)
class ProcessUsage:
    """CPU time and memory of all processes of a tree, those that ended included."""

    cpu_seconds: float
    """User and system time since they were started."""
    resident_bytes: int
    """Sum of their resident sets; pages that two share count twice."""


def measure_usage(roots: Iterable[int]) -> ProcessUsage:
    """Return what `roots` and all their descendants have used so far."""
    seconds, resident = 0.0, 0
    for pid in process_tree(roots):
        fields = _read_stat(pid)
        if fields:
            seconds += own_seconds(pid, fields) + _seconds_of(fields[_ENDED_TIMES])
            resident += int(fields[_RESIDENT]) * _PAGE
    return ProcessUsage(seconds, resident)


def _seconds_of(ticks: list[str]) -> float:
    return sum(map(int, ticks)) / _TICKS


def process_tree(roots: Iterable[int]) -> list[int]:
    """Return `roots` and all their living descendants."""
    found: list[int] = []
    waiting = list(roots)
    while waiting:
        pid = waiting.pop()
        found.append(pid)
        waiting += _child_pids(pid)
    return found


def _child_pids(pid: int) -> list[int]:
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        lists = [(task / "children").read_text() for task in tasks]
    except (FileNotFoundError, ProcessLookupError):
        return []
    return [int(child) for text in lists for child in text.split()]


def _read_stat(pid: int) -> list[str]:
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return []
    return text.rpartition(")")[2].split()


class PeakWatch:
    """The most that `measure` returns while the `with` block runs: bytes of memory."""

    def __init__(self, measure: Callable[[], int], interval_seconds: float = 0.05) -> None:
        self._measure = measure
        self._interval_seconds = interval_seconds
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch_peak, name="peak", daemon=True)
        self.peak_bytes = 0

    def __enter__(self) -> "PeakWatch":
        self._thread.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self._ended.set()
        self._thread.join()

    def _watch_peak(self) -> None:
        while True:
            self.peak_bytes = max(self.peak_bytes, self._measure())
            if self._ended.wait(self._interval_seconds):
                return
