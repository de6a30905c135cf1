"""The lock of a folder, on which only one `up` or `down` works at a time."""

import contextlib
import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from vitrine.bootstrap.local_service import DIRECTORY_VARIABLE

LOCK = "lock"
ATTEMPTS = 1000
"""Attempts to lock a folder that others make and remove; each attempt waits for its turn."""


@contextmanager
def hold_folder(directory: Path) -> Iterator[None]:
    """Wait for our turn; `directory` is created, and removed again if nothing was put into it.

    Raises OSError, whose message says what to do, if it cannot be created or written to.
    """
    made = [folder for folder in (directory, *directory.parents) if not folder.exists()]
    try:
        lock = _lock_file(directory)
    except OSError as error:
        raise OSError(
            f"the folder {directory} cannot be used ({error.strerror}): "
            f"name another with {DIRECTORY_VARIABLE}=/path"
        ) from error
    with lock:
        try:
            yield
        finally:
            if made and [path.name for path in directory.glob("*")] == [LOCK]:
                (directory / LOCK).unlink()
                with contextlib.suppress(OSError):  # somebody else's turn has begun
                    for folder in made:
                        folder.rmdir()


def _lock_file(directory: Path) -> TextIO:
    """Return the locked file, which must still exist: a removed one keeps nobody else out."""
    for attempt in range(ATTEMPTS):
        try:
            directory.mkdir(parents=True, exist_ok=True)
            lock = (directory / LOCK).open("w")
        except (FileNotFoundError, FileExistsError):  # somebody else may remove it at this moment
            if attempt == ATTEMPTS - 1:
                raise
            continue
        fcntl.flock(lock, fcntl.LOCK_EX)
        if _is_at(lock, directory / LOCK):
            return lock
        lock.close()
    raise BlockingIOError(errno.EAGAIN, "others make and remove it all the time")


def _is_at(lock: TextIO, path: Path) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(lock.fileno()))
    except FileNotFoundError:
        return False
