"""Which text index each publication names, as it is kept, so that only changed ones are read.

One compressed file of lines, in the order of the keys of publications. What a line says of a
version of a publication stays true, so an old file is as good as a new one.
"""

import gzip
import logging
import zlib
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Self

import msgspec

from vitrine.errors import ObjectMissing
from vitrine.ports import VersionedStore
from vitrine.store.site_layout import FULL_TEXT

KNOWN = f"{FULL_TEXT}known.jsonl.gz"
LEVEL = 1
logger = logging.getLogger(__name__)
_encode = msgspec.json.Encoder().encode


class KnownIndex(msgspec.Struct, frozen=True, array_like=True):
    """What one version of a publication says."""

    identifier: str
    version: str
    """Version of the publication, in the bucket."""
    index: str = ""
    """Name of its text index; empty: it has none."""


def read_known(site: VersionedStore, folder: Path) -> Iterator[KnownIndex]:
    """Yield what was kept; it is downloaded into a folder. Raises TransientError.

    A file that is damaged has nothing: all that it had can be read again.
    """
    path = folder / "last.jsonl.gz"
    try:
        site.download(KNOWN, path)
    except ObjectMissing:
        return
    try:
        # To its end, where the checksum is, before the first line counts.
        deque(_read_lines(path), maxlen=0)
    except (OSError, EOFError, zlib.error, msgspec.DecodeError, UnicodeDecodeError) as error:
        logger.warning("%s is damaged, so all publications are read: %s", KNOWN, error)
        return
    yield from _read_lines(path)


def _read_lines(path: Path) -> Iterator[KnownIndex]:
    decode = msgspec.json.Decoder(KnownIndex).decode
    with gzip.open(path, "rb") as file:
        yield from map(decode, file)


class NewKnown:
    """Lines are added while they come."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "next.jsonl.gz"
        self._stack = ExitStack()
        file = self._stack.enter_context(self._path.open("wb"))
        self._file = self._stack.enter_context(gzip.GzipFile("", "wb", LEVEL, file, mtime=0))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def add(self, known: KnownIndex) -> None:
        """Add a line."""
        self._file.write(_encode(known) + b"\n")

    def store(self, site: VersionedStore) -> None:
        """Put all lines where the next update finds them. Raises TransientError."""
        self._stack.close()
        site.upload(self._path, KNOWN, content_type="application/gzip", metadata={})
