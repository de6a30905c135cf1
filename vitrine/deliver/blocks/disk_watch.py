"""A watch over the disk of the block cache, looked at again while it cannot be written."""

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

PROBE_SECONDS = 1.0
_PROBE_BYTES = 4096

Report = Callable[[str, str], None]
"""Counts and logs an event: its name, and a sentence."""


class DiskFails(Exception):
    """Bytes could not be written to the local disk; the text says why."""


class DiskWatch:
    """Remembers that `directory` could not be written, and probes it at most every second."""

    def __init__(self, directory: Path, clock: Callable[[], float], report: Report) -> None:
        self._directory = directory
        self._clock = clock
        self._report = report
        self._probe_at = 0.0
        self.problem = ""
        """Why it cannot be written; "" if it can."""

    def note_failure(self, reason: str) -> None:
        """Note that a write failed."""
        self.problem = reason
        self._probe_at = self._clock() + PROBE_SECONDS
        self._report(
            "block-cache-unwritable",
            f"The block cache in {self._directory} cannot be written ({reason}): images are served "
            "from memory, and little of them is kept.",
        )

    @property
    def is_probe_due(self) -> bool:
        """True if it is time to look at the disk again."""
        return bool(self.problem) and self._clock() >= self._probe_at

    def probe(self) -> bool:
        """Write and remove a small file; return True if that works, and forget the problem."""
        self._probe_at = self._clock() + PROBE_SECONDS
        path = self._directory / "writable.part"
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            path.write_bytes(bytes(_PROBE_BYTES))
        except OSError as error:
            self.problem = os.strerror(error.errno or 0)
            return False
        finally:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
        self.problem = ""
        return True
