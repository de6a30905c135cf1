"""One harvest of a folder at a time, by a person or by the schedule."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LOCK = "harvest.lock"


class HarvestRuns(OSError):
    """Another harvest of the folder has not ended yet."""


@contextmanager
def take_turn(folder: Path) -> Iterator[None]:
    """Keep others out of a folder, which is made. Raises HarvestRuns and OSError, never waits.

    A process that dies gives its turn back.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise HarvestRuns(
                f"another harvest of {folder} is running: wait until it has ended"
            ) from None
        yield
