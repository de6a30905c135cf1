"""Processes of the service that no note tells of any more, because its folder was deleted.

They are known by the log that their standard output still goes to. Their environment would not
do: nginx writes its title over it, and a shell of the user's may carry our variables too.
"""

import contextlib
import os
import signal
import time
from pathlib import Path

STOP_SECONDS = 20.0
"""Time for open requests; the emulator's state went with the folder, so it has little to write."""


def orphans(directory: Path) -> set[int]:
    """Process groups of this user that write to logs of `directory`, except our own."""
    found = set()
    for entry in Path("/proc").glob("[0-9]*"):
        # Gone meanwhile, or another user's.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError, PermissionError):
            output = str((entry / "fd" / "1").readlink())
            if entry.stat().st_uid == os.geteuid() and output.startswith(f"{directory}/logs/"):
                found.add(os.getpgid(int(entry.name)))
    return found - {os.getpgrp()}


def stop_orphans(directory: Path) -> int:
    """End them by SIGTERM, after STOP_SECONDS by SIGKILL; how many groups there were."""
    found = orphans(directory)
    _signal(found, signal.SIGTERM)
    deadline = time.monotonic() + STOP_SECONDS
    while (left := _running(found)) and time.monotonic() < deadline:
        time.sleep(0.05)
    _signal(left, signal.SIGKILL)
    return len(found)


def _running(groups: set[int]) -> set[int]:
    """Those with a process that has not ended; one that ends closes its log a moment before."""
    found = set()
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            state, _, group = (entry / "stat").read_text().rpartition(")")[2].split()[:3]
            if state not in "ZX":
                found.add(int(group))
    return found & groups


def _signal(groups: set[int], number: signal.Signals) -> None:
    for group in groups:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, number)
