"""The same books in SQLite FTS5, whose file is read through a VFS that counts: a rival only."""

import importlib
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

INSERTED = 5_000
DETAILS = ("full", "none")
"""Whether it has positions, which phrases need; without them it is smaller."""


class Fts5:
    """A full-text index of pages, numbered from 0."""

    def __init__(self, path: Path, rivals: Path, kibibytes: int, detail: str) -> None:
        sys.path.insert(0, str(rivals))
        self._apsw: Any = importlib.import_module("apsw")
        self.path, self._page_bytes, self._detail = path, kibibytes << 10, detail
        self.reads: list[tuple[int, int]] = []
        """Offset and bytes of each read."""
        self._vfs = _counting_vfs(self._apsw, self.reads)

    def build(self, pages: Iterable[list[str]]) -> float:
        """Index pages; return CPU seconds, without those that making the pages took."""
        found = self._apsw.Connection(str(self.path))
        found.execute(f"PRAGMA page_size={self._page_bytes}; PRAGMA journal_mode=off")
        found.execute(
            "CREATE VIRTUAL TABLE pages USING fts5(text, content='', "
            f"detail={self._detail}, tokenize='unicode61 remove_diacritics 2')"
        )
        spent, batch = 0.0, list[tuple[int, str]]()
        for number, words in enumerate(pages, start=1):
            batch.append((number, " ".join(words)))
            if len(batch) == INSERTED:
                spent += _insert(found, batch)
                batch = []
        spent += _insert(found, batch)
        began = time.process_time()
        found.execute("INSERT INTO pages(pages) VALUES('optimize')")
        found.close()
        return spent + time.process_time() - began

    def copy_from(self, other: "Fts5") -> None:
        """Write what another one has, in pages of this size."""
        found = self._apsw.Connection(str(other.path))
        found.execute(f"PRAGMA page_size={self._page_bytes}")
        found.execute("VACUUM INTO ?", (str(self.path),))
        found.close()

    def open(self) -> Any:
        """Return a connection that has read nothing."""
        self.reads.clear()
        flags = self._apsw.SQLITE_OPEN_READONLY | self._apsw.SQLITE_OPEN_URI
        name = f"file:{self.path}?immutable=1"
        return self._apsw.Connection(name, flags, vfs=self._vfs.vfs_name)

    def find(self, connection: Any, query: str, pages: int) -> Counter[int]:
        """Return how many pages of each object match; each has `pages` of them."""
        rows = connection.execute("SELECT rowid FROM pages WHERE pages MATCH ?", (_spell(query),))
        return Counter((number - 1) // pages for (number,) in rows)


def count_ranges(reads: Iterable[tuple[int, int]]) -> int:
    """Return how many reads do not go on where the one before ended."""
    ranges, end = 0, -1
    for offset, size in reads:
        ranges += offset != end
        end = offset + size
    return ranges


def _insert(connection: Any, batch: list[tuple[int, str]]) -> float:
    began = time.process_time()
    with connection:
        connection.executemany("INSERT INTO pages(rowid, text) VALUES(?, ?)", batch)
    return time.process_time() - began


def _spell(query: str) -> str:
    """Return a query as FTS5 has it."""
    return " ".join(_spell_parts(query))


def _spell_parts(query: str) -> Iterator[str]:
    for quoted, word in re.findall(r'"([^"]*)"|(\S+)', query):
        text = quoted or word
        yield f'"{text.rstrip("*")}"' + ("*" if text.endswith("*") else "")


def _counting_vfs(apsw: Any, reads: list[tuple[int, int]]) -> Any:
    class File(apsw.VFSFile):  # type: ignore[misc]
        def xRead(self, amount: int, offset: int) -> bytes:
            reads.append((offset, amount))
            return bytes(super().xRead(amount, offset))

    class Vfs(apsw.VFS):  # type: ignore[misc]
        vfs_name = f"counting-{id(reads)}"

        def __init__(self) -> None:
            super().__init__(self.vfs_name, "")

        def xOpen(self, name: Any, flags: list[int]) -> Any:
            return File("", name, flags)

    return Vfs()
