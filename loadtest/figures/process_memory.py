"""Memory of this process, as the Linux kernel counts it."""

from pathlib import Path

_STATUS = Path("/proc/self/status")


def resident_mebibytes() -> float:
    """Return the resident set now."""
    return _read("VmRSS")


def peak_mebibytes() -> float:
    """Return the largest resident set since this program (not the one that forked it) started."""
    return _read("VmHWM")


def _read(name: str) -> float:
    for line in _STATUS.read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) / 1024
    raise OSError(f"{_STATUS} has no {name}")
