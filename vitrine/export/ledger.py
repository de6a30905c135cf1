"""What an export has to write and has written, in one SQLite file next to it.

A *unit* is what is written as a whole: the picture of an image, its tiles, the documents of an
object. It is done when its files are, and done again when its version is another one. So an export
may be killed at any moment, and a later one writes only what changed.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from vitrine.errors import VitrineError

NAME = "export.sqlite"
"""Name of the file, in the folder of the export."""
PAGE_ROWS = 1_000

_SCHEMA = """
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS unit (
    key TEXT PRIMARY KEY, version TEXT NOT NULL, facts TEXT NOT NULL, bytes INTEGER NOT NULL,
    run INTEGER NOT NULL, done TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS file (
    path TEXT PRIMARY KEY, unit TEXT NOT NULL, sha256 TEXT NOT NULL, bytes INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS file_of_unit ON file (unit);
"""


class ExportBusy(VitrineError):
    """Another process writes into the same folder."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What is written as a whole."""

    key: str
    """Its kind and the identifier, such as `picture/RP-P-1`."""
    version: str
    """Version of the unit's source; not empty."""
    facts: dict[str, Any]
    """Facts with which it is written, as JSON."""
    bytes: int
    """About how many it will take; the files have the exact number."""

    @property
    def kind(self) -> str:
        """The first part of its key."""
        return self.key.partition("/")[0]


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file of the export; the path has slashes and is relative to its folder."""

    path: str
    sha256: str
    bytes: int


class ExportLedger:
    """The ledger of the export in `folder`, which nobody else then opens. For one thread only.

    Raises ExportBusy if somebody else has it open.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sql = sqlite3.connect(folder / NAME, isolation_level=None, timeout=1)
        try:
            self._sql.executescript(_SCHEMA)
        except sqlite3.OperationalError as error:
            self._sql.close()
            raise ExportBusy(
                f"Another export writes into {folder}: wait for it, or choose another folder."
            ) from error
        [self._run] = self._sql.execute("SELECT coalesce(max(run), 0) + 1 FROM unit").fetchone()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._sql.close()

    def plan(self, units: Iterable[Unit]) -> None:
        """Note units that belong to the export now."""
        self._sql.execute("BEGIN")
        self._sql.executemany(
            "INSERT INTO unit (key, version, facts, bytes, run) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (key) DO UPDATE SET version = excluded.version, facts = excluded.facts, "
            "bytes = excluded.bytes, run = excluded.run",
            (
                (unit.key, unit.version, json.dumps(unit.facts), unit.bytes, self._run)
                for unit in units
            ),
        )
        self._sql.execute("COMMIT")

    def keep(self, keys: Iterable[str]) -> None:
        """Leave units of an earlier run, with their files, in the export."""
        self._sql.executemany(
            "UPDATE unit SET run = ? WHERE key = ?", ((self._run, key) for key in keys)
        )

    def drop(self, key: str) -> None:
        """Take back that a unit belongs to the export."""
        self._sql.execute("UPDATE unit SET run = 0 WHERE key = ?", (key,))

    def forget_others(self) -> int:
        """Remove what was not planned in this run, with its files.

        Returns the number of units that had been written.
        """
        removed = 0
        while rows := self._query_page("SELECT key, done FROM unit WHERE run <> ?", (self._run,)):
            for key, done in rows:
                self._remove_files(key)
                self._sql.execute("DELETE FROM unit WHERE key = ?", (key,))
                removed += bool(done)
        return removed

    def equal_but_for_case(self) -> tuple[str, str] | None:
        """Return the keys of two units that differ only in the case of letters of ASCII."""
        # SQLite's lower() leaves all other letters, and names of files have none.
        pair: tuple[str, str] | None = self._sql.execute(
            "SELECT min(key), max(key) FROM unit WHERE run = ? "
            "GROUP BY lower(key) HAVING count(*) > 1 LIMIT 1",
            (self._run,),
        ).fetchone()
        return pair

    def check_files(self) -> None:
        """Have the units done again whose files are gone, or have another length."""
        paths = self._sql.execute("SELECT path, bytes, unit FROM file")
        lost = {unit for path, size, unit in paths if not self._is_there(path, size)}
        self._sql.executemany("UPDATE unit SET done = '' WHERE key = ?", ((key,) for key in lost))

    def waiting(self) -> dict[str, int]:
        """Return the number of `units` planned in this run that are not done, and `bytes`."""
        row = self._sql.execute(
            "SELECT count(*), coalesce(sum(bytes), 0) FROM unit WHERE done <> version AND run = ?",
            (self._run,),
        ).fetchone()
        return {"units": row[0], "bytes": row[1]}

    def next_units(self) -> Iterator[Unit]:
        """Yield the units that are not done, in the order of their keys."""
        last = ""
        query = (
            "SELECT key, version, facts, bytes FROM unit WHERE done <> version AND key > ? "
            "ORDER BY key"
        )
        while rows := self._query_page(query, (last,)):
            for key, version, facts, size in rows:
                yield Unit(key, version, json.loads(facts), size)
            last = rows[-1][0]

    def finish(self, unit: Unit, files: Iterable[WrittenFile]) -> None:
        """Note that a unit is done, and remove the files that it no longer has."""
        written = {file.path: file for file in files}
        self._remove_files(unit.key, but=written.keys())
        self._sql.execute("BEGIN")
        self._sql.executemany(
            "INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?)",
            ((one.path, unit.key, one.sha256, one.bytes) for one in written.values()),
        )
        self._sql.execute("UPDATE unit SET done = ? WHERE key = ?", (unit.version, unit.key))
        self._sql.execute("COMMIT")

    def files(self) -> Iterator[WrittenFile]:
        """Yield every file, in the order of the paths."""
        last = ""
        query = "SELECT path, sha256, bytes FROM file WHERE path > ? ORDER BY path"
        while rows := self._query_page(query, (last,)):
            yield from (WrittenFile(*row) for row in rows)
            last = rows[-1][0]

    def total(self) -> dict[str, int]:
        """Return the number of `files` and their `bytes`."""
        row = self._sql.execute("SELECT count(*), coalesce(sum(bytes), 0) FROM file").fetchone()
        return {"files": row[0], "bytes": row[1]}

    def _query_page(self, query: str, values: tuple[object, ...]) -> list[Any]:
        return self._sql.execute(f"{query} LIMIT {PAGE_ROWS}", values).fetchall()

    def _remove_files(self, key: str, but: Iterable[str] = ()) -> None:
        kept = set(but)
        rows = self._sql.execute("SELECT path FROM file WHERE unit = ?", (key,)).fetchall()
        for (path,) in rows:
            if path not in kept:
                (self._folder / path).unlink(missing_ok=True)
                self._sql.execute("DELETE FROM file WHERE path = ?", (path,))

    def _is_there(self, path: str, size: int) -> bool:
        try:
            return (self._folder / path).stat().st_size == size
        except OSError:
            return False
