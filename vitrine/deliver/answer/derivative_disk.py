"""A watch over the file system of nginx's caches, checked every second or so.

An nginx that cannot write closes the connection instead of answering. So no request is sent to a
cache on one that is read-only, or about to run out of bytes or inodes. In a task of its own nginx
alone sees it, and it is never full (`kept_answers.py`); on one machine others use that memory too.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path

DERIVATIVES, TILES = "derivatives", "tiles"
"""Folders of nginx's caches within `memory_directory`."""
LOOK_SECONDS = 1.0
MIN_FREE_BYTES = 16 << 20
"""nginx's own reserve is twice as much: it frees room before."""
MIN_FREE_FILES = 256

_NAME = "derivative-cache-unwritable"


class DerivativeDisk:
    """The file system of nginx's caches. Belongs to one event loop."""

    def __init__(
        self,
        directory: Path,
        report: Callable[[str, str], None] = lambda event, message: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._directory = directory
        self._report = report
        self._clock = clock
        self._look_at = 0.0
        self.problem = ""
        """Why it cannot be written; "" if it can, as far as is known."""

    def is_writable(self) -> bool:
        """Return True if nginx can keep a derivative; the answer is up to a second old."""
        now = self._clock()
        if now >= self._look_at:
            self._look_at = now + LOOK_SECONDS
            self.problem = self._find_problem()
            if self.problem:
                message = f"The cache of derivatives in {self._directory} {self.problem}"
                self._report(_NAME, f"{message}: nothing is kept there.")
        return not self.problem

    def _find_problem(self) -> str:
        try:
            disk = os.statvfs(self._directory)
        except FileNotFoundError:
            return ""  # nginx makes it when it starts, or has it in another container
        except OSError as error:
            return f"cannot be read ({error.strerror})"
        if disk.f_flag & os.ST_RDONLY:
            return "is read-only"
        if disk.f_bavail * disk.f_frsize < MIN_FREE_BYTES:
            return "has no room left"
        # Some file systems do not count files.
        if disk.f_files and disk.f_favail < MIN_FREE_FILES:
            return "can hold no more files"
        return ""
