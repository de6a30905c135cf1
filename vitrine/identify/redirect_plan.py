"""What an import of redirects would do: wishes of a file against what stands in the table.

The plan lies in a temporary database on disk, since a million rows with all they lead to would not
fit into the memory of a small machine, and following them needs an index anyway.
"""

import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from vitrine.identify.redirect_file import Fault, Row
from vitrine.records import Record, Redirect, state

LONGEST = 24
"""Rounds after which what still leads on is a circle: each round doubles the steps that were
followed, so chains of sixteen million rows end sooner."""
ROWS = 10_000
"""Written or read at once."""

_SCHEMA = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -65536;
CREATE TABLE wish (
    old TEXT PRIMARY KEY, new TEXT NOT NULL, target TEXT NOT NULL, note TEXT NOT NULL,
    line INTEGER NOT NULL, fault TEXT NOT NULL DEFAULT '',
    there TEXT NOT NULL DEFAULT '', leads TEXT NOT NULL DEFAULT '',
    there_note TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE TABLE terminal (name TEXT PRIMARY KEY, there TEXT NOT NULL, leads TEXT NOT NULL)
    WITHOUT ROWID;
CREATE TABLE fault (line INTEGER, old TEXT, new TEXT, code TEXT, sentence TEXT);
CREATE TABLE question (number INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE leading (old TEXT PRIMARY KEY) WITHOUT ROWID;
BEGIN;
"""
_NEXT = "FROM wish next WHERE next.old = wish.target AND next.fault = ''"
_FOLLOW_TABLE = """
UPDATE wish SET target = (SELECT leads FROM terminal WHERE name = wish.target)
WHERE fault = '' AND target IN (SELECT name FROM terminal WHERE there = 'redirect')
"""
_STANDS = "there = 'redirect' AND leads = target AND note IN ('', there_note)"


class Plan:
    """Wishes, what they meet, and what is wrong with them. One thread's own."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._sql = database
        self._sql.executescript(_SCHEMA)
        self.counts = Counter({"rows": 0, "duplicates": 0})

    def load(self, rows: Iterable[Row | Fault]) -> None:
        """Take the rows of a file. Two that disagree about one identifier are both at fault."""
        for row in rows:
            self.counts["rows"] += 1
            if isinstance(row, Fault):
                self._blame(row)
            elif not self._insert(row):
                self._meet_again(row)

    def olds(self) -> Iterator[str]:
        """The identifiers that are to redirect."""
        return self._ask("SELECT old FROM wish WHERE fault = ''")

    def met(self, records: Iterable[Record]) -> None:
        """What stands under those."""
        self._sql.executemany(
            "UPDATE wish SET there = ?, leads = ?, there_note = ? WHERE old = ?",
            [
                (state(item), item.target, item.note, item.identifier)
                if isinstance(item, Redirect)
                else (state(item), "", "", item.identifier)
                for item in records
            ],
        )

    def refuse_live(self) -> None:
        """No live image gives way."""
        self._refuse(
            "live-image",
            "there = 'live'",
            "'\"' || old || '\" is a live image; leave the row out, or say --replace-live.'",
        )

    def refuse_withdrawn(self) -> None:
        """No tombstone gives way."""
        self._refuse(
            "withdrawn-image",
            "there = 'gone'",
            "'\"' || old || '\" is a withdrawn image; leave the row out, or say "
            "--replace-withdrawn.'",
        )

    def follow(self) -> None:
        """Let every wish lead to the end of its chain within the file; circles are at fault."""
        self._sql.execute("DELETE FROM leading")
        self._sql.execute(
            "INSERT INTO leading SELECT old FROM wish "
            f"WHERE fault = '' AND EXISTS (SELECT 1 {_NEXT})"
        )
        for _ in range(LONGEST):
            self._sql.execute(
                f"UPDATE wish SET target = (SELECT next.target {_NEXT}) "
                "WHERE old IN (SELECT old FROM leading)"
            )
            self._sql.execute(
                "DELETE FROM leading WHERE NOT EXISTS "
                f"(SELECT 1 FROM wish WHERE wish.old = leading.old AND EXISTS (SELECT 1 {_NEXT}))"
            )
            if not self._sql.execute("SELECT count(*) FROM leading").fetchone()[0]:
                break
        self._refuse_loops("(old IN (SELECT old FROM leading) OR target = old)")

    def targets(self) -> Iterator[str]:
        """The targets that nothing is known of yet."""
        known = "SELECT name FROM terminal"
        return self._ask(
            f"SELECT DISTINCT target FROM wish WHERE fault = '' AND target NOT IN ({known})"
        )

    def reached(self, names: Iterable[str], records: dict[str, Record]) -> None:
        """What stands under targets."""
        found = [(name, records.get(name)) for name in names]
        self._sql.executemany(
            "INSERT INTO terminal VALUES (?, ?, ?)",
            [
                (
                    name,
                    state(item) if item else "",
                    item.target if isinstance(item, Redirect) else "",
                )
                for name, item in found
            ],
        )

    def follow_table(self) -> bool:
        """Let wishes whose target is a redirect in the table lead on; whether there were any."""
        return bool(self._sql.execute(_FOLLOW_TABLE).rowcount)

    def refuse_what_leads_on(self) -> None:
        """After too many rounds."""
        self._refuse_loops("target IN (SELECT name FROM terminal WHERE there = 'redirect')")

    def refuse_dangling(self) -> None:
        """Targets must be images or tombstones."""
        nothing = "SELECT name FROM terminal WHERE there IN ('', 'removed')"
        self._refuse(
            "dangling",
            f"target IN ({nothing})",
            "'There is no image \"' || target || '\"; if it is still to come, say "
            "--allow-dangling.'",
        )

    def summary(self) -> Counter[str]:
        """Counts: see `vitrine.identify.redirect_import.SENTENCES`."""
        counts = Counter(self.counts)
        for name, condition in (
            ("stand", _STANDS),
            ("new", f"there IN ('', 'removed') AND NOT ({_STANDS})"),
            ("changed", f"there = 'redirect' AND NOT ({_STANDS})"),
            ("over_tombstones", "there = 'gone'"),
            ("over_live_images", "there = 'live'"),
            ("collapsed", "target <> new"),
        ):
            sql = f"SELECT count(*) FROM wish WHERE fault = '' AND {condition}"
            counts[name] = self._sql.execute(sql).fetchone()[0]
        counts["faults"] = self._sql.execute("SELECT count(*) FROM fault").fetchone()[0]
        return counts

    def faults_by_code(self) -> dict[str, int]:
        """How many of each."""
        sql = "SELECT code, count(*) FROM fault GROUP BY code ORDER BY code"
        return dict(self._sql.execute(sql).fetchall())

    def faults(self) -> Iterator[Fault]:
        """In the order of the file."""
        for values in self._sql.execute("SELECT * FROM fault ORDER BY line, old"):
            yield Fault(*values)

    def to_write(self) -> Iterator[tuple[Row, bool]]:
        """The wishes that neither stand nor are at fault; `new` is the end of the chain.

        And whether nothing stood under `old`.
        """
        sql = (
            "SELECT line, old, target, note, there = '' FROM wish "
            f"WHERE fault = '' AND NOT ({_STANDS}) AND old > ? ORDER BY old LIMIT {ROWS}"
        )
        after = ""
        while page := self._sql.execute(sql, (after,)).fetchall():
            yield from ((Row(*values), bool(fresh)) for *values, fresh in page)
            after = page[-1][1]

    def _insert(self, row: Row) -> bool:
        values = (row.old, row.new, row.new, row.note, row.line)
        sql = "INSERT OR IGNORE INTO wish (old, new, target, note, line) VALUES (?, ?, ?, ?, ?)"
        return self._sql.execute(sql, values).rowcount == 1

    def _meet_again(self, row: Row) -> None:
        sql = "SELECT line, new, fault FROM wish WHERE old = ?"
        line, new, fault = self._sql.execute(sql, (row.old,)).fetchone()
        if new == row.new:
            self.counts["duplicates"] += 1
            return
        if not fault:
            self._sql.execute("UPDATE wish SET fault = 'conflict' WHERE old = ?", (row.old,))
            self._blame(_conflict(line, row.old, new, row.line))
        self._blame(_conflict(row.line, row.old, row.new, line))

    def _blame(self, fault: Fault) -> None:
        values = (fault.line, fault.old, fault.new, fault.code, fault.sentence)
        self._sql.execute("INSERT INTO fault VALUES (?, ?, ?, ?, ?)", values)

    def _refuse_loops(self, condition: str) -> None:
        sentence = (
            "'\"' || old || '\" would lead in a circle; leave one of the circle''s rows out.'"
        )
        self._refuse("loop", condition, sentence)

    def _refuse(self, code: str, condition: str, sentence: str) -> None:
        """`sentence` is an SQL expression."""
        chosen = f"FROM wish WHERE fault = '' AND {condition}"
        self._sql.execute(f"INSERT INTO fault SELECT line, old, new, '{code}', {sentence} {chosen}")
        self._sql.execute(f"UPDATE wish SET fault = '{code}' WHERE fault = '' AND {condition}")

    def _ask(self, select: str) -> Iterator[str]:
        """The names are set down first: the answers change what is asked for."""
        self._sql.execute("DELETE FROM question")
        self._sql.execute(f"INSERT INTO question (name) {select}")
        sql = f"SELECT number, name FROM question WHERE number > ? ORDER BY number LIMIT {ROWS}"
        after = 0
        while page := self._sql.execute(sql, (after,)).fetchall():
            yield from (name for _, name in page)
            after = page[-1][0]


def _conflict(line: int, old: str, new: str, other: int) -> Fault:
    sentence = f'Line {other} wants "{old}" to lead elsewhere; leave one of the two out.'
    return Fault(line, old, new, "conflict", sentence)


@contextmanager
def open_plan() -> Iterator[Plan]:
    """An empty plan, whose file is gone afterwards."""
    with (
        tempfile.TemporaryDirectory(prefix="vitrine-") as folder,
        closing(sqlite3.connect(Path(folder) / "plan", isolation_level=None)) as database,
    ):
        yield Plan(database)
