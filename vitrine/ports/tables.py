"""The tables of identifiers, of outcomes and of the catalogue."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Protocol

from vitrine.errors import RecordDamaged
from vitrine.records import Live, Outcome, Record, Redirect


class IdentifierTable(Protocol):
    """The identifiers table."""

    def get(self, identifier: str) -> Record | None:
        """Return the record, strongly consistent, or None. Raises RecordDamaged."""
        ...

    def get_many(
        self, identifiers: Collection[str], *, consistent: bool = False
    ) -> dict[str, Record | RecordDamaged]:
        """Return the existing records by identifier; may lag by a second unless `consistent`.

        In place of one that cannot be read is the reason.
        """
        ...

    def write(self, record: Record, replaces: Record | RecordDamaged | None) -> None:
        """Write `record`, in one conditional write; only `vitrine.identify.register` does this.

        Raises PreconditionFailed unless the current record has the revision of `replaces`; if that
        is None, no record may exist.
        """
        ...

    def newest(self, limit: int) -> list[Live]:
        """Return up to `limit` live images, the newest first; may lag by a second."""
        ...

    def by_state(self, state: str, limit: int) -> list[Record]:
        """Return up to `limit` records that are live, redirect, gone or removed, newest first.

        May lag by a second. One that cannot be read is in no list, and logged.
        """
        ...

    def count(self, state: str, limit: int) -> int:
        """Return the number of records in this state, at most `limit`; may lag by a second."""
        ...

    def redirects_to(self, target: str) -> Iterator[Redirect]:
        """Yield the redirects to `target`, in no order; may lag by a second."""
        ...

    def redirects(self) -> Iterator[Redirect]:
        """Yield all redirects, in no order; may lag by a second."""
        ...


class OutcomeTable(Protocol):
    """The latest outcome per master."""

    def get(self, master_key: str) -> Outcome | None:
        """Return the latest outcome of this master, or None.

        One that cannot be read counts as missing, here and in lists, and is logged.
        """
        ...

    def get_many(self, master_keys: Collection[str]) -> dict[str, Outcome]:
        """Return the existing outcomes by master; may lag by a second."""
        ...

    def record(self, outcome: Outcome, over: str = "") -> bool:
        """Keep `outcome`; return False if the existing one, of a newer master, was kept instead.

        The master with the later `master_modified` is newer. Of two versions with the same time it
        is unknown which is newer: the existing one stays, unless it is `over`, a version that the
        caller knows to be older.

        `running` never replaces the end of the same master version: a late or repeated event
        changes nothing. The exception is the outcome of the execution that `outcome.redrives`
        names, unless it published the master.
        """
        ...

    def by_state(self, state: str, limit: int) -> list[Outcome]:
        """Return up to `limit` outcomes listed as `state`, newest first; may lag by a second.

        The lists are the states, without what was dismissed, and `dismissed`.
        """
        ...

    def count(self, state: str, limit: int) -> int:
        """Return how many outcomes are listed as `state`, at most `limit`; may lag by a second."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What a record of the journal of objects says about an image, an object or a collection."""

    subject: str
    """Key of what it is about (`vitrine.catalogue.statements`)."""
    author: str
    """Identifier of the object or collection whose record it is."""
    revision: int
    """Revision of that record; 0: it is yet to be written."""
    said_at: str
    """RFC 3339 UTC."""
    says: tuple[str, ...] | None
    """Empty: nothing any more. None: the record was about to be written, and only the journal
    knows whether it was."""


class CatalogueTable(Protocol):
    """The catalogue: what objects show and collections list, by what is shown and listed."""

    def about(self, subject: str, authors: Collection[str] | None = None) -> Iterator[Statement]:
        """Yield all statements about a subject, strongly consistent, by author and revision.

        With `authors`, those of these: however many others there are, that takes at most a few
        requests an author, and few for many authors if there are few statements.
        """
        ...

    def write(self, statements: Collection[Statement]) -> None:
        """Write statements, each in place of that of the same subject, author and revision.

        Some may be written if this raises TransientError.
        """
        ...


class UseCounter(Protocol):
    """Counters that forget themselves."""

    def add(self, name: str, *, expires: int) -> int:
        """Add one to a counter, at once for all who count, and return the sum.

        The counter is forgotten some time after `expires`, in seconds since the epoch.
        """
        ...
