"""The plan of a migration: its rows and their results, in one SQLite file.

The file is for speed and for the report: the service itself knows what is done already. It holds a
million rows in 200 MB of disk and a few MiB of memory, and survives being killed at any moment.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Self

from vitrine.errors import Rejection
from vitrine.migrate.manifest_row import duplicate_identifier, duplicate_source
from vitrine.migrate.planned_row import (
    STATES,
    PlannedRow,
    RowResult,
    State,
    planned_row_from_values,
    planned_row_values,
)

BATCH = 2_000
RUN, CAUSE = "run", "cause"
"""Facts: the migration's own name, and why its Distributed Map failed, "" if it did not."""
_COLUMNS = "line, source, kind, place, key, owner, identifier, given, metadata, imported"

_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS rows (
    line INTEGER PRIMARY KEY,
    source TEXT NOT NULL,
    kind TEXT NOT NULL,
    place TEXT NOT NULL,
    key TEXT NOT NULL,
    owner TEXT NOT NULL,
    identifier TEXT NOT NULL,
    given INTEGER NOT NULL,
    metadata TEXT NOT NULL,
    planned INTEGER NOT NULL DEFAULT 1,
    imported INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL DEFAULT 'waiting',
    code TEXT NOT NULL DEFAULT '',
    sentence TEXT NOT NULL DEFAULT '',
    value TEXT NOT NULL DEFAULT '',
    master_bytes INTEGER NOT NULL DEFAULT 0,
    access_master_bytes INTEGER NOT NULL DEFAULT 0,
    pixels INTEGER NOT NULL DEFAULT 0
);
"""
_INDEXES = """
CREATE INDEX IF NOT EXISTS by_identifier ON rows (identifier);
CREATE INDEX IF NOT EXISTS by_key ON rows (key);
CREATE INDEX IF NOT EXISTS by_state ON rows (state, line);
"""
_REJECT = "UPDATE rows SET state = 'rejected', planned = 0, code = ?, sentence = ?, value = {}"


class MigrationPlan:
    """The rows of one migration, and facts about it: when it began, what it was made from."""

    def __init__(self, path: Path | str) -> None:
        self._database = sqlite3.connect(path, isolation_level=None)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = NORMAL")
        self._database.executescript(_SCHEMA)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def fact(self, name: str) -> str:
        """Return a fact, "" if it was never set."""
        found = self._database.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return str(found[0]) if found else ""

    def set_fact(self, name: str, value: str) -> None:
        """Set a fact."""
        self._database.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    def clear(self) -> None:
        """Delete all rows and facts."""
        with self._transaction():
            self._database.execute("DELETE FROM rows")
            self._database.execute("DELETE FROM facts")

    def fill(self, rows: Iterable[PlannedRow]) -> None:
        """Add rows, then reject duplicates; either all rows are added or none is."""
        with self._transaction():
            self._database.executemany(
                "INSERT INTO rows (line, source, kind, place, key, owner, identifier, given,"
                " metadata, planned, state, code, sentence, value)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                map(planned_row_values, rows),
            )
        self._database.executescript(_INDEXES)
        with self._transaction():
            self._reject_duplicates()

    def find_other_keys(self, other: Path) -> tuple[int, str]:
        """Return how many files the plan `other` migrated under other keys, and one of the keys."""
        self._database.execute("ATTACH DATABASE ? AS other", (str(other),))
        try:
            count, key = self._database.execute(
                "SELECT COUNT(*), MIN(theirs.key) FROM rows JOIN other.rows AS theirs"
                " ON theirs.place = rows.place AND theirs.key <> rows.key"
                " WHERE rows.kind = 'file' AND theirs.kind = 'file'"
                " AND theirs.state IN ('published', 'unchanged')"
            ).fetchone()
        finally:
            self._database.execute("DETACH DATABASE other")
        return int(count), str(key or "")

    def find_replaced(self, other: Path) -> tuple[str, str]:
        """Return the key of a file, and another file that the plan `other` migrated under it.

        Both are "" without any that still exists: a folder may have been moved. A collection may
        replace its own masters from any folder.
        """
        self._database.execute("ATTACH DATABASE ? AS other", (str(other),))
        try:
            found = self._database.execute(
                "SELECT rows.key, theirs.place FROM rows JOIN other.rows AS theirs"
                " ON theirs.key = rows.key AND theirs.place <> rows.place"
                " WHERE rows.owner = '' AND rows.kind = 'file' AND theirs.kind = 'file'"
                " AND theirs.state IN ('published', 'unchanged')"
            )
            pair = next((pair for pair in found if Path(pair[1]).is_file()), ("", ""))
            found.close()
        finally:
            self._database.execute("DETACH DATABASE other")
        return pair

    def owners(self) -> list[str]:
        """Return the collections that masters of the plan belong to."""
        found = self._database.execute("SELECT DISTINCT owner FROM rows WHERE owner <> ''")
        return [str(owner) for (owner,) in found]

    def waiting(self, after: int = 0) -> list[PlannedRow]:
        """Return a batch of rows without a result, in the order of their lines."""
        found = self._database.execute(
            f"SELECT {_COLUMNS} FROM rows WHERE state = 'waiting' AND line > ?"
            " ORDER BY line LIMIT ?",
            (after, BATCH),
        )
        return [planned_row_from_values(row) for row in found]

    def waiting_for(self, key: str) -> PlannedRow | None:
        """Return the row of this master, if it has no result yet."""
        found = self._database.execute(
            f"SELECT {_COLUMNS} FROM rows WHERE state = 'waiting' AND key = ?", (key,)
        ).fetchone()
        return planned_row_from_values(found) if found else None

    def all_waiting(self) -> Iterator[PlannedRow]:
        """Yield all rows without a result; rows may get results in the meantime."""
        last = 0
        while batch := self.waiting(last):
            yield from batch
            last = batch[-1].line

    def record_import(self, line: int) -> None:
        """Record that the row's source was copied into the masters bucket."""
        self._database.execute("UPDATE rows SET imported = 1 WHERE line = ?", (line,))

    def record_results(self, results: Iterable[tuple[int, RowResult]]) -> None:
        """Record the results of rows, given by their lines."""
        with self._transaction():
            self._database.executemany(
                "UPDATE rows SET state = ?, identifier = coalesce(nullif(?, ''), identifier),"
                " code = ?, sentence = ?, value = ?, master_bytes = ?, access_master_bytes = ?,"
                " pixels = ? WHERE line = ?",
                (
                    (
                        result.state,
                        result.identifier,
                        result.problem.code,
                        result.problem.sentence,
                        result.problem.value,
                        result.master_bytes,
                        result.access_master_bytes,
                        result.pixels,
                        line,
                    )
                    for line, result in results
                ),
            )

    def reset_unsuccessful(self) -> None:
        """Let unsuccessful and withdrawn rows wait again, except those that cannot be migrated."""
        self._database.execute(
            "UPDATE rows SET state = 'waiting' WHERE planned AND state IN"
            " ('withdrawn', 'rejected', 'missing', 'failed')"
        )

    def counts(self) -> dict[State, int]:
        """Return the number of rows in each state."""
        found = dict(self._database.execute("SELECT state, count(*) FROM rows GROUP BY state"))
        return {state: found.get(state, 0) for state in STATES}

    def sums(self, state: State) -> tuple[int, int, int]:
        """Return bytes of masters, bytes of access masters and pixels of the rows in this state."""
        found = self._database.execute(
            "SELECT coalesce(sum(master_bytes), 0), coalesce(sum(access_master_bytes), 0),"
            " coalesce(sum(pixels), 0) FROM rows WHERE state = ?",
            (state,),
        ).fetchone()
        return int(found[0]), int(found[1]), int(found[2])

    def imported(self) -> int:
        """Return the number of masters that this migration copied into the bucket."""
        return int(self._database.execute("SELECT sum(imported) FROM rows").fetchone()[0] or 0)

    def reasons(self) -> dict[tuple[str, str], int]:
        """Return the number of unsuccessful rows by state and code, the largest first."""
        found = self._database.execute(
            "SELECT state, code, count(*) FROM rows WHERE state IN ('rejected', 'missing',"
            " 'failed') GROUP BY state, code ORDER BY count(*) DESC, code"
        )
        return {(state, code): count for state, code, count in found}

    def unsuccessful(self, state: str, code: str, limit: int = -1) -> Iterator[dict[str, Any]]:
        """Yield the rows of one reason: line, source, key, identifier, sentence, value."""
        names = ("line", "source", "key", "identifier", "sentence", "value")
        found = self._database.execute(
            f"SELECT {', '.join(names)} FROM rows WHERE state = ? AND code = ?"
            " ORDER BY line LIMIT ?",
            (state, code, limit),
        )
        return (dict(zip(names, row, strict=True)) for row in found)

    def _reject_duplicates(self) -> None:
        twice = "SELECT key FROM rows WHERE state = 'waiting' GROUP BY key HAVING count(*) > 1"
        differ = f"{twice} AND count(DISTINCT identifier) > 1"
        first = "SELECT min(line) FROM rows WHERE state = 'waiting' GROUP BY key"
        self._reject(duplicate_source(""), "source", f"key IN ({differ})")
        self._reject(duplicate_source(""), "source", f"key IN ({twice}) AND line NOT IN ({first})")
        named = (
            "SELECT identifier FROM rows WHERE state = 'waiting'"
            " GROUP BY identifier HAVING count(*) > 1"
        )
        self._reject(duplicate_identifier(""), "identifier", f"identifier IN ({named})")

    def _reject(self, problem: Rejection, value: str, condition: str) -> None:
        self._database.execute(
            f"{_REJECT.format(value)} WHERE state = 'waiting' AND {condition}",
            (problem.code, problem.sentence),
        )

    def _transaction(self) -> "_Transaction":
        return _Transaction(self._database)


class _Transaction:
    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def __enter__(self) -> None:
        self._database.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: object, *_: object) -> None:
        self._database.execute("ROLLBACK" if kind else "COMMIT")
