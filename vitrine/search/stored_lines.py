"""What an update keeps for the next one: lines of JSON in one compressed file.

What a line says of a version of a publication stays true, so an old file is as good as a new one.
"""

import gzip
import logging
import shutil
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Self, TypeVar

import msgspec

from vitrine.errors import ObjectMissing
from vitrine.ports import VersionedStore

LEVEL = 1
Line = TypeVar("Line")
logger = logging.getLogger(__name__)
_encode = msgspec.json.Encoder().encode


def read_lines(
    site: VersionedStore, key: str, folder: Path, decode: Callable[[bytes], Line]
) -> Iterator[Line]:
    """Yield what was kept; it is downloaded into a folder. Raises TransientError.

    A file that is missing or damaged has nothing: all that it had can be read again.
    """
    path = folder / "last.jsonl.gz"
    try:
        site.download(key, path)
    except ObjectMissing:
        return
    try:
        # To its end, where the checksum is, before the first line counts.
        deque(_read_lines(path, decode), maxlen=0)
    except (OSError, EOFError, zlib.error, msgspec.DecodeError, UnicodeDecodeError) as error:
        logger.warning("%s is damaged, so all publications are read: %s", key, error)
        return
    yield from _read_lines(path, decode)


def _read_lines(path: Path, decode: Callable[[bytes], Line]) -> Iterator[Line]:
    with gzip.open(path, "rb") as file:
        yield from map(decode, file)


class NewLines:
    """Lines are added while they come; a head, which is known at the end, comes before them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lines = folder / "lines.jsonl.gz"
        self._stack = ExitStack()
        file = self._stack.enter_context(self._lines.open("wb"))
        self._file = self._stack.enter_context(gzip.GzipFile("", "wb", LEVEL, file, mtime=0))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def add(self, line: msgspec.Struct) -> None:
        """Add a line."""
        self._file.write(_encode(line) + b"\n")

    def store(self, site: VersionedStore, key: str, *head: msgspec.Struct) -> None:
        """Put head and lines where the next update finds them. Raises TransientError."""
        self._stack.close()
        path = self._folder / "next.jsonl.gz"
        with path.open("wb") as file, self._lines.open("rb") as lines:
            # Compressed files one after the other are one compressed file.
            for line in head:
                file.write(gzip.compress(_encode(line) + b"\n", mtime=0))
            shutil.copyfileobj(lines, file)
        site.upload(path, key, content_type="application/gzip", metadata={})
