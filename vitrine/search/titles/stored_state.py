"""What the index was made of, as it is kept: the rows, and digests of all files that were written.

One compressed file of lines: the first is the head, each other one a row, in the order of the keys
of publications.
"""

import gzip
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import msgspec

from vitrine.errors import ObjectMissing
from vitrine.ports import VersionedStore
from vitrine.search.titles.rows import Row
from vitrine.store.site_layout import SEARCH_STATE

STATE = f"{SEARCH_STATE}rows.jsonl.gz"
FORM = 2
"""Version of the rows' format; a state of another one is made again."""
LEVEL = 1
_encode = msgspec.json.Encoder().encode


class StateHead(msgspec.Struct, frozen=True, kw_only=True):
    """What is said of all rows."""

    form: int = FORM
    look: str = ""
    """Digest of the pages' ingredients: theme, templates, texts and addresses."""
    next_number: int = 0
    """Number of the next new object."""
    digests: dict[str, str] = {}
    """Digest of each file, by its key."""


@dataclass(frozen=True)
class StoredState:
    """The last state; without one that can be used there is no `head`."""

    head: StateHead | None
    rows: Iterator[Row]


def read_state(site: VersionedStore, folder: Path) -> StoredState:
    """Download the state into a folder. Raises TransientError."""
    path = folder / "last.jsonl.gz"
    try:
        site.download(STATE, path)
    except ObjectMissing:
        return StoredState(None, iter(()))
    lines = _read_lines(path)
    head = msgspec.json.decode(next(lines), type=StateHead)
    if head.form != FORM:
        return StoredState(None, iter(()))
    decode = msgspec.json.Decoder(Row).decode
    return StoredState(head, map(decode, lines))


class NewState:
    """Rows are added while they come; the head is known at the end."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._rows = folder / "rows.jsonl.gz"
        self._stack = ExitStack()
        file = self._stack.enter_context(self._rows.open("wb"))
        self._file = self._stack.enter_context(gzip.GzipFile("", "wb", LEVEL, file, mtime=0))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def add(self, row: Row) -> None:
        """Add a row."""
        self._file.write(_encode(row) + b"\n")

    def store(self, site: VersionedStore, head: StateHead) -> None:
        """Put head and rows where the next update finds them. Raises TransientError."""
        self._stack.close()
        path = self._folder / "next.jsonl.gz"
        with path.open("wb") as file, self._rows.open("rb") as rows:
            # Compressed files one after the other are one compressed file.
            file.write(gzip.compress(_encode(head) + b"\n", mtime=0))
            shutil.copyfileobj(rows, file)
        site.upload(path, STATE, content_type="application/gzip", metadata={})


def _read_lines(path: Path) -> Iterator[bytes]:
    with gzip.open(path, "rb") as file:
        yield from file
