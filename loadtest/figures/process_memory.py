"""Memory of processes, as the Linux kernel counts it."""

import threading
from collections.abc import Callable, Iterable
from pathlib import Path

_STATUS = Path("/proc/self/status")


def resident_mebibytes() -> float:
    """Return the resident set of this process now."""
    lines = _STATUS.read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1024


def proportional_bytes(pids: Iterable[int]) -> int:
    """Return the memory of processes; a page is divided among those who share it (proc(5)).

    Those that have ended count nothing.
    """
    found = 0
    for pid in pids:
        try:
            text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue
        sizes = (line.split()[1] for line in text.splitlines() if line.startswith("Pss:"))
        found += 1_024 * int(next(sizes, "0"))
    return found


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
