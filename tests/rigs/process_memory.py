"""Memory of this process, as the Linux kernel counts it (proc(5))."""

from pathlib import Path

_STATUS = Path("/proc/self/status")


def resident_mebibytes() -> float:
    """Return the resident set now."""
    return _read("VmRSS")


def peak_mebibytes() -> float:
    """Return the largest resident set since this program (not the one that forked it) started."""
    return _read("VmHWM")


def _read(name: str) -> float:
    lines = _STATUS.read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:")) / 1024
