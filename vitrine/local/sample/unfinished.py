"""A note in the service's folder that its sample is being published: an interrupted one is resumed.

That images exist says nothing: some of the sample may be among them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOTE = "sample-unfinished"


@contextmanager
def note_unfinished(directory: Path) -> Iterator[None]:
    """Keep the note while the block runs; it stays if the block, or the process, is interrupted."""
    note = directory / NOTE
    note.parent.mkdir(parents=True, exist_ok=True)
    note.touch()
    yield
    note.unlink()


def is_unfinished(directory: Path) -> bool:
    """Return True if a sample was begun and not ended."""
    return (directory / NOTE).exists()
