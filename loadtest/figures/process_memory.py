"""Memory of processes, as the Linux kernel counts it."""

from collections.abc import Iterable
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
