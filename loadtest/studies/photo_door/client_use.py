"""CPU and memory of the sending process, sampled twice a second."""

import os
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from loadtest.figures.process_memory import resident_mebibytes

_INTERVAL_SECONDS = 0.5


@dataclass(frozen=True, kw_only=True)
class UseSample:
    """A sample of one moment."""

    time: float
    """Seconds since the epoch."""
    cpu_cores: float
    """Cores that this process used since the sample before."""
    resident_mebibytes: float
    machine_memory: float
    """Share of the machine's memory in use, by whomever."""
    agents: int
    """Agents that were sending or waiting."""

    def as_json(self) -> dict[str, Any]:
        return {name: round(value, 3) for name, value in asdict(self).items()}


class ClientWatch:
    """Looks while the `with` block runs; `agents` says how many are at work."""

    def __init__(self, agents: Callable[[], int]) -> None:
        self._agents = agents
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch_use, name="client", daemon=True)
        self.looks: list[UseSample] = []

    def __enter__(self) -> "ClientWatch":
        self._thread.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self._ended.set()
        self._thread.join()

    def _watch_use(self) -> None:
        cpu, moment = time.process_time(), time.time()
        while not self._ended.wait(_INTERVAL_SECONDS):
            now, used = time.time(), time.process_time()
            self.looks.append(
                UseSample(
                    time=now,
                    cpu_cores=(used - cpu) / (now - moment),
                    resident_mebibytes=resident_mebibytes(),
                    machine_memory=_machine_memory(),
                    agents=self._agents(),
                )
            )
            cpu, moment = used, now


def _machine_memory() -> float:
    lines = Path("/proc/meminfo").read_text().splitlines()
    available = next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:"))
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1024
    return 1 - available / whole
