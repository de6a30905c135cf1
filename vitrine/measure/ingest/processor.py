"""Who used the processor, and when: the service's processes, the one that uploads, all others."""

import os
import threading
import time
from bisect import bisect_left
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from vitrine.measure.deliver.cpu import usage
from vitrine.measure.ingest.instance import Instance

_TICKS = os.sysconf("SC_CLK_TCK")
_INTERVAL_SECONDS = 0.2
_IDLE = slice(3, 5)
_GUEST = slice(8, 10)
"""Fields of /proc/stat's first line: idle and waiting; guests, which user time holds already."""


@dataclass(frozen=True, kw_only=True)
class Spent:
    """CPU seconds since some beginning, the same for all."""

    lambdas: float
    """The steps of the pipeline."""
    emulator: float
    """What stands in for AWS: S3, the tables, the state machine."""
    image_task: float
    """nginx, gateway, iipsrv and the edge, which have nothing to do."""
    uploader: float
    """The benchmark's own process, the curator of the play."""
    machine: float
    """Everything that runs on this machine, others' work included."""

    def minus(self, earlier: "Spent") -> "Spent":
        """What was spent since `earlier`."""
        before = asdict(earlier)
        return Spent(**{name: value - before[name] for name, value in asdict(self).items()})

    @property
    def ours(self) -> float:
        """All but what others did meanwhile."""
        return self.lambdas + self.emulator + self.image_task + self.uploader

    def as_json(self) -> dict[str, float]:
        return {name: round(value, 2) for name, value in asdict(self).items()}


def spent(instance: Instance) -> Spent:
    """Up to now."""
    emulator = _own_seconds(instance.emulator_pid)
    return Spent(
        lambdas=usage([instance.emulator_pid]).cpu_seconds - emulator,
        emulator=emulator,
        image_task=usage(instance.task_pids).cpu_seconds,
        uploader=time.process_time(),
        machine=_machine_seconds(),
    )


class ProcessorWatch:
    """Notes what was spent five times a second while the `with` block runs."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="processor", daemon=True)
        self._times: list[float] = []
        self._spent: list[Spent] = []

    def __enter__(self) -> "ProcessorWatch":
        self._thread.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self._ended.set()
        self._thread.join()

    def between(self, begin: float, end: float) -> dict[str, Any]:
        """Shares of all cores between two times, seconds since the epoch; 0.2 s exact."""
        first, last = self._at(begin), self._at(end)
        seconds = self._times[last] - self._times[first]
        whole = seconds * (os.cpu_count() or 1)
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
        while True:
            self._spent.append(spent(self._instance))
            self._times.append(time.time())
            if self._ended.wait(_INTERVAL_SECONDS):
                return


def _own_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _machine_seconds() -> float:
    fields = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
    return (sum(fields) - sum(fields[_IDLE]) - sum(fields[_GUEST])) / _TICKS
