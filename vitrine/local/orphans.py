"""Processes of the service that no note names any more, because its folder was deleted.

They are recognised by the log that their standard output still goes to. Their environment does not
serve: nginx writes its title over it, and a shell of the user may have our variables too.
"""

import contextlib
import os
import signal
import time
from pathlib import Path

from vitrine.local.process import KILLED_SECONDS

STOP_SECONDS = 20.0
"""Time for open requests; the emulator's state went with the folder, so it has little to write."""


def find_orphans(directory: Path) -> set[int]:
    """Return the process groups of this user that write to logs of `directory`, except our own."""
    found = set()
    for entry in Path("/proc").glob("[0-9]*"):
        # It has ended, or belongs to another user.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError, PermissionError):
            output = str((entry / "fd" / "1").readlink())
            if entry.stat().st_uid == os.geteuid() and output.startswith(f"{directory}/logs/"):
                found.add(os.getpgid(int(entry.name)))
    return found - {os.getpgrp()}


def stop_orphans(directory: Path) -> int:
    """End them by SIGTERM, after STOP_SECONDS by SIGKILL; return how many groups there were."""
    found = find_orphans(directory)
    _signal(found, signal.SIGTERM)
    _signal(_wait(found, STOP_SECONDS), signal.SIGKILL)
    _wait(found, KILLED_SECONDS)
    return len(found)


def _wait(groups: set[int], seconds: float) -> set[int]:
    """Wait until the groups have ended; return those that have not after `seconds`."""
    deadline = time.monotonic() + seconds
    while (left := _running(groups)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left


def _running(groups: set[int]) -> set[int]:
    """Return the groups with a live process; one that ends closes its log a moment earlier."""
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
