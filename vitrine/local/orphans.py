"""Processes of the service that no note names any more, because its folder was deleted.

They are recognised by the log that their standard output still goes to. Their environment does not
serve: nginx writes its title over it, and a shell of the user may have our variables too.
"""

import contextlib
import os
import signal
from pathlib import Path

from vitrine.local.process import KILLED_SECONDS, wait_for_groups

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
    _signal_groups(found, signal.SIGTERM)
    _signal_groups(wait_for_groups(found, STOP_SECONDS), signal.SIGKILL)
    wait_for_groups(found, KILLED_SECONDS)
    return len(found)


def _signal_groups(groups: set[int], number: signal.Signals) -> None:
    for group in groups:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, number)
