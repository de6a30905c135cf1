"""What an import of redirects would do: the rows of a file compared with the table.

The plan is a temporary database on disk, because a million rows with all they lead to would not fit
into the memory of a small machine, and following them needs an index anyway.
"""

import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from vitrine.identify.redirects.csv_file import RedirectRow, RowFault
from vitrine.records import Record, Redirect, state

ROUNDS = 24
"""Rounds after which a chain without an end is a circle: each round doubles the steps that were
followed, so chains of sixteen million rows end sooner."""
PAGE_ROWS = 10_000
"""Rows read at once."""

_SCHEMA = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -65536;
CREATE TABLE redirect (
    old TEXT PRIMARY KEY, new TEXT NOT NULL, target TEXT NOT NULL, note TEXT NOT NULL,
    owner TEXT NOT NULL, line INTEGER NOT NULL, fault TEXT NOT NULL DEFAULT '',
    state TEXT NOT NULL DEFAULT '', current_target TEXT NOT NULL DEFAULT '',
    current_note TEXT NOT NULL DEFAULT '', current_owner TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE TABLE endpoint (name TEXT PRIMARY KEY, state TEXT NOT NULL, target TEXT NOT NULL)
    WITHOUT ROWID;
CREATE TABLE fault (line INTEGER, old TEXT, new TEXT, code TEXT, sentence TEXT);
CREATE TABLE selection (number INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE unfinished (old TEXT PRIMARY KEY) WITHOUT ROWID;
BEGIN;
"""
_NEXT = "FROM redirect next WHERE next.old = redirect.target AND next.fault = ''"
_FOLLOW_TABLE = """
UPDATE redirect SET target = (SELECT endpoint.target FROM endpoint WHERE name = redirect.target)
WHERE fault = '' AND target IN (SELECT name FROM endpoint WHERE state = 'redirect')
"""
_IN_PLACE = "state = 'redirect' AND current_target = target AND note IN ('', current_note)"


class ImportPlan:
    """The requested redirects, the records they meet, and their faults. For one thread only."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._sql = database
        self._sql.executescript(_SCHEMA)
        self.counts = Counter({"rows": 0, "duplicates": 0})

    def load(self, rows: Iterable[RedirectRow | RowFault]) -> None:
        """Load the rows of a file. Rows that give one identifier two targets are both at fault."""
        for row in rows:
            self.counts["rows"] += 1
            if isinstance(row, RowFault):
                self._add_fault(row)
            elif not self._insert_row(row):
                self._compare_with_first(row)

    def old_identifiers(self) -> Iterator[str]:
        """Return the identifiers that are to redirect."""
        return self._select_names("SELECT old FROM redirect WHERE fault = ''")

    def note_current(self, records: Iterable[Record]) -> None:
        """Note the current records of those identifiers."""
        self._sql.executemany(
            "UPDATE redirect SET state = ?, current_target = ?, current_note = ?, "
            "current_owner = ? WHERE old = ?",
            [
                (state(item), item.target, item.note, item.owner, item.identifier)
                if isinstance(item, Redirect)
                else (state(item), "", "", item.owner, item.identifier)
                for item in records
            ],
        )

    def refuse_live(self) -> None:
        """Refuse the redirects that would replace a live image."""
        self._refuse_rows(
            "live-image",
            "state = 'live'",
            "'\"' || old || '\" is a live image; leave the row out, or add --replace-live.'",
        )

    def refuse_withdrawn(self) -> None:
        """Refuse the redirects that would replace a tombstone."""
        self._refuse_rows(
            "withdrawn-image",
            "state = 'gone'",
            "'\"' || old || '\" is a withdrawn image; leave the row out, or add "
            "--replace-withdrawn.'",
        )

    def refuse_owned(self) -> None:
        """Refuse the redirects that would replace what another collection owns."""
        self._refuse_rows(
            "identifier-owned",
            "current_owner NOT IN ('', owner) "
            "AND NOT (state = 'redirect' AND current_target = new)",
            "'\"' || old || '\" belongs to the collection \"' || current_owner || "
            "'\", and this row to ' || CASE owner WHEN '' THEN 'none' ELSE '\"' || owner || '\"' "
            "END || '; leave it out, or add --take-over.'",
        )

    def follow_file(self) -> None:
        """Retarget each redirect to the end of its chain within the file; refuse circles."""
        self._sql.execute("DELETE FROM unfinished")
        self._sql.execute(
            "INSERT INTO unfinished SELECT old FROM redirect "
            f"WHERE fault = '' AND EXISTS (SELECT 1 {_NEXT})"
        )
        for _ in range(ROUNDS):
            self._sql.execute(
                f"UPDATE redirect SET target = (SELECT next.target {_NEXT}) "
                "WHERE old IN (SELECT old FROM unfinished)"
            )
            self._sql.execute(
                "DELETE FROM unfinished WHERE NOT EXISTS "
                "(SELECT 1 FROM redirect WHERE redirect.old = unfinished.old "
                f"AND EXISTS (SELECT 1 {_NEXT}))"
            )
            if not self._sql.execute("SELECT count(*) FROM unfinished").fetchone()[0]:
                break
        self._refuse_loops("(old IN (SELECT old FROM unfinished) OR target = old)")

    def unknown_targets(self) -> Iterator[str]:
        """Return the targets whose records have not been noted yet."""
        known = "SELECT name FROM endpoint"
        return self._select_names(
            f"SELECT DISTINCT target FROM redirect WHERE fault = '' AND target NOT IN ({known})"
        )

    def note_targets(self, names: Iterable[str], records: dict[str, Record]) -> None:
        """Note the current records of the targets `names`; a name may have no record."""
        targets = [(name, records.get(name)) for name in names]
        self._sql.executemany(
            "INSERT INTO endpoint VALUES (?, ?, ?)",
            [
                (
                    name,
                    state(item) if item else "",
                    item.target if isinstance(item, Redirect) else "",
                )
                for name, item in targets
            ],
        )

    def follow_table(self) -> bool:
        """Retarget redirects whose target is a redirect in the table; return False if none is."""
        return bool(self._sql.execute(_FOLLOW_TABLE).rowcount)

    def refuse_endless_chains(self) -> None:
        """Refuse the redirects whose target is still a redirect, after too many rounds."""
        self._refuse_loops("target IN (SELECT name FROM endpoint WHERE state = 'redirect')")

    def refuse_dangling(self) -> None:
        """Refuse the redirects whose target is neither an image nor a tombstone."""
        nothing = "SELECT name FROM endpoint WHERE state IN ('', 'removed')"
        self._refuse_rows(
            "dangling",
            f"target IN ({nothing})",
            "'There is no image \"' || target || '\"; if it is still to be published, add "
            "--allow-dangling.'",
        )

    def summary(self) -> Counter[str]:
        """Return counts, by the names that `vitrine.cli` explains (`PLANNED`)."""
        counts = Counter(self.counts)
        for name, condition in (
            ("stand", _IN_PLACE),
            ("new", f"state IN ('', 'removed') AND NOT ({_IN_PLACE})"),
            ("changed", f"state = 'redirect' AND NOT ({_IN_PLACE})"),
            ("over_tombstones", "state = 'gone'"),
            ("over_live_images", "state = 'live'"),
            ("collapsed", "target <> new"),
        ):
            sql = f"SELECT count(*) FROM redirect WHERE fault = '' AND {condition}"
            counts[name] = self._sql.execute(sql).fetchone()[0]
        counts["faults"] = self._sql.execute("SELECT count(*) FROM fault").fetchone()[0]
        return counts

    def faults_by_code(self) -> dict[str, int]:
        """Return the number of faults of each code."""
        sql = "SELECT code, count(*) FROM fault GROUP BY code ORDER BY code"
        return dict(self._sql.execute(sql).fetchall())

    def faults(self) -> Iterator[RowFault]:
        """Yield the faults in the order of the file."""
        for values in self._sql.execute("SELECT * FROM fault ORDER BY line, old"):
            yield RowFault(*values)

    def to_write(self) -> Iterator[tuple[RedirectRow, bool]]:
        """Yield the redirects that are to be written; `new` is the end of the chain.

        The second value is True if `old` has no record yet.
        """
        sql = (
            "SELECT line, old, target, note, owner, state = '' FROM redirect "
            f"WHERE fault = '' AND NOT ({_IN_PLACE}) AND old > ? ORDER BY old LIMIT {PAGE_ROWS}"
        )
        after = ""
        while page := self._sql.execute(sql, (after,)).fetchall():
            yield from ((RedirectRow(*values), bool(is_new)) for *values, is_new in page)
            after = page[-1][1]

    def _insert_row(self, row: RedirectRow) -> bool:
        values = (row.old, row.new, row.new, row.note, row.owner, row.line)
        columns = "(old, new, target, note, owner, line)"
        sql = f"INSERT OR IGNORE INTO redirect {columns} VALUES (?, ?, ?, ?, ?, ?)"
        return self._sql.execute(sql, values).rowcount == 1

    def _compare_with_first(self, row: RedirectRow) -> None:
        sql = "SELECT line, new, fault FROM redirect WHERE old = ?"
        line, new, fault = self._sql.execute(sql, (row.old,)).fetchone()
        if new == row.new:
            self.counts["duplicates"] += 1
            return
        if not fault:
            self._sql.execute("UPDATE redirect SET fault = 'conflict' WHERE old = ?", (row.old,))
            self._add_fault(_conflict_fault(line, row.old, new, row.line))
        self._add_fault(_conflict_fault(row.line, row.old, row.new, line))

    def _add_fault(self, fault: RowFault) -> None:
        values = (fault.line, fault.old, fault.new, fault.code, fault.sentence)
        self._sql.execute("INSERT INTO fault VALUES (?, ?, ?, ?, ?)", values)

    def _refuse_loops(self, condition: str) -> None:
        sentence = (
            "'\"' || old || '\" would lead in a circle; leave out one of the rows of the circle.'"
        )
        self._refuse_rows("loop", condition, sentence)

    def _refuse_rows(self, code: str, condition: str, sentence: str) -> None:
        """Add a fault for each redirect that fulfils `condition`; `sentence` is SQL as well."""
        chosen = f"FROM redirect WHERE fault = '' AND {condition}"
        self._sql.execute(f"INSERT INTO fault SELECT line, old, new, '{code}', {sentence} {chosen}")
        self._sql.execute(f"UPDATE redirect SET fault = '{code}' WHERE fault = '' AND {condition}")

    def _select_names(self, select: str) -> Iterator[str]:
        """Yield names. They are copied first, because the caller changes what `select` reads."""
        self._sql.execute("DELETE FROM selection")
        self._sql.execute(f"INSERT INTO selection (name) {select}")
        sql = (
            f"SELECT number, name FROM selection WHERE number > ? ORDER BY number LIMIT {PAGE_ROWS}"
        )
        after = 0
        while page := self._sql.execute(sql, (after,)).fetchall():
            yield from (name for _, name in page)
            after = page[-1][0]


def _conflict_fault(line: int, old: str, new: str, other: int) -> RowFault:
    sentence = f'Line {other} gives "{old}" another target; leave one of the two rows out.'
    return RowFault(line, old, new, "conflict", sentence)


@contextmanager
def open_import_plan() -> Iterator[ImportPlan]:
    """Yield an empty plan, whose file is deleted afterwards."""
    with (
        tempfile.TemporaryDirectory(prefix="vitrine-") as folder,
        closing(sqlite3.connect(Path(folder) / "plan", isolation_level=None)) as database,
    ):
        yield ImportPlan(database)
