"""The machine and the code that a figure was measured on, saved with it."""

import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyvips

import vitrine
from loadtest.report.source_commit import source_commit


def describe_machine() -> dict[str, Any]:
    """Return time, processor, memory, versions and commit, JSON-ready."""
    return {
        "measured_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "processor": _processor_name(),
        "cores": os.cpu_count(),
        "memory_gibibytes": round(_memory_bytes() / 2**30, 1),
        "system": platform.platform(),
        "python": platform.python_version(),
        "libvips": ".".join(str(pyvips.version(part)) for part in range(3)),
        "vitrine": vitrine.__version__,
        **source_commit().as_json(),
    }


def _processor_name() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()


def _memory_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
