"""What a figure was measured on, kept beside it."""

import os
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyvips

import vitrine
from vitrine.bootstrap.local_service import REPOSITORY


def describe() -> dict[str, Any]:
    """Time, processor, memory and versions, JSON-ready."""
    return {
        "measured_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gibibytes": round(_memory_bytes() / 2**30, 1),
        "system": platform.platform(),
        "python": platform.python_version(),
        "libvips": ".".join(str(pyvips.version(part)) for part in range(3)),
        "vitrine": vitrine.__version__,
        "commit": _commit(),
    }


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()


def _memory_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _commit() -> str:
    command = ["git", "-C", str(REPOSITORY), "describe", "--always", "--dirty"]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()
