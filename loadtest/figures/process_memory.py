"""What a process holds in memory, as the kernel counts it. Linux."""

from pathlib import Path

_STATUS = Path("/proc/self/status")


def resident_mebibytes() -> float:
    """Now."""
    return _read("VmRSS")


def peak_mebibytes() -> float:
    """At most, since this program was started (and not the one that forked it)."""
    return _read("VmHWM")


def _read(name: str) -> float:
    for line in _STATUS.read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) / 1024
    raise OSError(f"the system does not tell {name}")
