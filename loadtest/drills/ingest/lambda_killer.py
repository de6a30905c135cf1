"""Kills Lambdas at work: SIGKILL, as for want of memory."""

import os
import random
import re
import signal
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from loadtest.drills.ingest.drilled_service import DrilledService

_LOOK_SECONDS = 0.3
_WORKER = re.compile(rb"/ministack-lambda-([^/\0]+)-[^/\0]+/_worker\.py")


def list_workers(emulator_pid: int) -> dict[int, str]:
    """Return the Lambdas of an emulator: the names of their functions by process."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(FileNotFoundError, ProcessLookupError, PermissionError):
            named = _WORKER.search((entry / "cmdline").read_bytes())
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            if named and parent == emulator_pid:
                found[int(entry.name)] = named[1].decode()
    return found


class Killer:
    """Kills `limit` Lambdas in a thread of its own, one at a time.

    Each at a random share of masters that have ended, which `ended` says, up to `until`: so that
    the work of every step is hit, and not only the first.
    """

    def __init__(
        self,
        service: DrilledService,
        ended: Callable[[], float],
        *,
        limit: int,
        until: float,
        seed: int,
    ) -> None:
        self._service = service
        self._share_ended = ended
        self._chance = random.Random(f"killer {seed}")
        self._due = sorted(self._chance.uniform(0, until) for _ in range(limit))
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._kill_workers, name="killer", daemon=True)
        self.killed: Counter[str] = Counter()

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Stop killing."""
        self._stopped.set()
        self._thread.join()

    @property
    def finished(self) -> bool:
        """Return True if no kill is left to do."""
        return not self._due

    def _kill_workers(self) -> None:
        while self._due and not self._stopped.wait(_LOOK_SECONDS):
            if self._share_ended() >= self._due[0] and self._kill_one():
                self._due.pop(0)

    def _kill_one(self) -> bool:
        found = list_workers(self._service.emulator_pid)
        if not found:
            return False
        victim = self._chance.choice(sorted(found))
        with suppress(ProcessLookupError):
            os.kill(victim, signal.SIGKILL)
            self.killed[_step_name(found[victim])] += 1
            return True
        return False


def _step_name(function: str) -> str:
    """`vitrine-dev-ingest-ConvertMasterSmallABC-xyz` -> what stands in it of our own name."""
    return re.sub(r"^vitrine-[a-z]+-|[0-9A-F]{8}.*$", "", function)
