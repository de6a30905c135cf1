"""Memory of processes, as the Linux kernel counts it."""

from collections.abc import Iterable
from pathlib import Path

_STATUS = Path("/proc/self/status")


def resident_mebibytes() -> float:
    """Return the resident set now."""
    return _read("VmRSS")


def peak_mebibytes() -> float:
    """Return the largest resident set since this program (not the one that forked it) started."""
    return _read("VmHWM")


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


def _read(name: str) -> float:
    for line in _STATUS.read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) / 1024
    raise OSError(f"{_STATUS} has no {name}")
