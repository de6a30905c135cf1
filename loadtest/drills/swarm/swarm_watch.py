"""What a server holds and has done while it is under load, looked at every few seconds."""

import threading
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

from loadtest.figures.process_memory import proportional_bytes
from rigs.rig import Rig
from vitrine.deliver.metrics.counters import Samples
from vitrine.deliver.metrics.prometheus import parse_samples

LOOK_SECONDS = 2.0
_TIMEOUT_SECONDS = 20


class SwarmWatch:
    """Samples of a rig while the `with` block runs: memory, disk, CPU."""

    def __init__(self, rig: Rig, others: Callable[[], dict[str, float]] | None = None) -> None:
        """`others` returns more numbers for each sample."""
        self._rig = rig
        self._others = others or dict
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch_usage, name="swarm-watch", daemon=True)
        self.samples: list[dict[str, float]] = []

    def __enter__(self) -> "SwarmWatch":
        self._began = time.monotonic()
        self._thread.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self._ended.set()
        self._thread.join()

    def _watch_usage(self) -> None:
        while True:
            self.samples.append(
                {
                    "at": round(time.monotonic() - self._began, 1),
                    "memory_bytes": proportional_bytes(self._rig.process_ids()),
                    "cpu_seconds": round(sum(self._rig.cpu_seconds().values()), 2),
                    "disk_bytes": disk_bytes(self._rig.work),
                    **self._others(),
                }
            )
            if self._ended.wait(LOOK_SECONDS):
                return

    def peak(self, name: str) -> float:
        """Return the largest of the samples."""
        return max(sample[name] for sample in self.samples)


def disk_bytes(folder: Path) -> int:
    """Return the blocks that all files below a folder take; what vanishes meanwhile takes none."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.lstat().st_blocks * 512
        except FileNotFoundError:
            continue
    return total


def read_metrics(rig: Rig) -> Samples:
    """Return what all processes of our gateway have counted. Raises OSError."""
    with urllib.request.urlopen(f"{rig.url}/metrics", timeout=_TIMEOUT_SECONDS) as response:
        return parse_samples(response.read().decode())


def sum_of(samples: Samples, name: str, part: str = "") -> float:
    """Return the sum of a metric's samples whose labels contain `part`."""
    return sum(
        value
        for key, value in samples.items()
        if key.partition("{")[0] == f"vitrine_{name}" and part in key
    )


def by_label(samples: Samples, name: str) -> dict[str, float]:
    """Return the samples of a metric by their labels."""
    start = f"vitrine_{name}{{"
    return {
        key.removeprefix(start).rstrip("}").replace('"', ""): round(value, 4)
        for key, value in sorted(samples.items())
        if key.startswith(start)
    }
