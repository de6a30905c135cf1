"""CPU time over a run: of the service's processes, of the one that uploads, of all others."""

import os
import threading
import time
from bisect import bisect_left
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from loadtest.figures.process_cpu import tree
from loadtest.rigs.service_instance import Instance

_TICKS = os.sysconf("SC_CLK_TCK")
_INTERVAL_SECONDS = 0.2
_IDLE = slice(3, 5)
_GUEST = slice(8, 10)
"""Fields of /proc/stat's first line: idle and waiting; guests, which user time holds already."""
_USER, _BORN = 11, 19
"""Fields of /proc/PID/stat after the command's name: user time, then system time; start."""


@dataclass(frozen=True, kw_only=True)
class Spent:
    """CPU seconds since a common start."""

    lambdas: float
    """The steps of the pipeline."""
    emulator: float
    """The emulator of AWS: S3, the tables, the state machine."""
    image_task: float
    """nginx, gateway, iipsrv and the edge, which have nothing to do."""
    uploader: float
    """The benchmark's own process, which stands for the curator."""
    machine: float
    """Everything on this machine, unrelated work included."""

    def minus(self, earlier: "Spent") -> "Spent":
        """Return what was spent since `earlier`."""
        before = asdict(earlier)
        return Spent(**{name: value - before[name] for name, value in asdict(self).items()})

    @property
    def ours(self) -> float:
        """CPU seconds of the service and the uploader."""
        return self.lambdas + self.emulator + self.image_task + self.uploader

    def as_json(self) -> dict[str, float]:
        return {name: round(value, 2) for name, value in asdict(self).items()}


class ProcessorWatch:
    """Records the CPU time five times a second while the `with` block runs.

    Of a process that ends, the time since the last sample is lost; nothing else is.
    """

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="processor", daemon=True)
        self._seen: dict[tuple[int, int], float] = {}
        """CPU seconds of every process so far, by its number and its start."""
        self._lambdas: set[tuple[int, int]] = set()
        self._times: list[float] = []
        self._spent: list[Spent] = []

    def __enter__(self) -> "ProcessorWatch":
        self._look()
        self._thread.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self._ended.set()
        self._thread.join()

    def between(self, begin: float, end: float) -> dict[str, Any]:
        """Return what was spent between two past times, and its share of all cores.

        Times are seconds since the epoch, exact to 0.2 s.
        """
        first, last = self._at(begin), self._at(end)
        seconds = self._times[last] - self._times[first]
        whole = max(seconds, _INTERVAL_SECONDS) * (os.cpu_count() or 1)
        used = self._spent[last].minus(self._spent[first])
        return {
            "seconds": round(seconds, 2),
            "share_of_both_cores": round(used.ours / whole, 3),
            "share_with_others": round(used.machine / whole, 3),
            "cpu_seconds": used.as_json(),
        }

    def _at(self, moment: float) -> int:
        return min(bisect_left(self._times, moment), len(self._times) - 1)

    def _watch(self) -> None:
        while not self._ended.wait(_INTERVAL_SECONDS):
            self._look()

    def _look(self) -> None:
        emulator = self._note([self._instance.emulator_pid])
        self._lambdas |= set(self._note(tree([self._instance.emulator_pid])[1:]))
        image_task = self._note(tree(self._instance.task_pids))
        spent = Spent(
            lambdas=sum(self._seen[one] for one in self._lambdas),
            emulator=sum(emulator.values()),
            image_task=sum(image_task.values()),
            uploader=time.process_time(),
            machine=_machine_seconds(),
        )
        self._spent.append(spent)
        self._times.append(time.time())

    def _note(self, pids: Iterable[int]) -> dict[tuple[int, int], float]:
        found = {}
        for pid in pids:
            with suppress(FileNotFoundError, ProcessLookupError):
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                ticks = int(fields[_USER]) + int(fields[_USER + 1])
                found[pid, int(fields[_BORN])] = ticks / _TICKS
        self._seen |= found
        return found


def _machine_seconds() -> float:
    fields = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
    return (sum(fields) - sum(fields[_IDLE]) - sum(fields[_GUEST])) / _TICKS
