"""The identifiers table in memory."""

from collections.abc import Collection, Iterator
from threading import Lock

from vitrine.errors import PreconditionFailed, RecordDamaged
from vitrine.records import Live, Record, Redirect
from vitrine.records import state as state_of


class MemoryIdentifierTable:
    """A dictionary with the table's conditions."""

    def __init__(self, *records: Record) -> None:
        self._records: dict[str, Record | RecordDamaged] = {
            record.identifier: record for record in records
        }
        self._lock = Lock()

    def get(self, identifier: str) -> Record | None:
        record = self._records.get(identifier)
        if isinstance(record, RecordDamaged):
            raise record
        return record

    def get_many(
        self, identifiers: Collection[str], *, consistent: bool = False
    ) -> dict[str, Record | RecordDamaged]:
        return {name: record for name in identifiers if (record := self._find_record(name))}

    def _find_record(self, identifier: str) -> Record | RecordDamaged | None:
        try:
            return self.get(identifier)
        except RecordDamaged as damaged:
            return damaged

    def damage(self, identifier: str, *, has_revision: bool = True) -> None:
        """Make a record one that cannot be read."""
        with self._lock:
            current = self._records[identifier]
            revision = current.revision if has_revision else 0
            self._records[identifier] = RecordDamaged(identifier, revision, "test")

    def write(self, record: Record, replaces: Record | RecordDamaged | None) -> None:
        with self._lock:
            current = self._records.get(record.identifier)
            if (current and current.revision) != (replaces and replaces.revision):
                raise PreconditionFailed(record.identifier)
            self._records[record.identifier] = record

    def newest(self, limit: int) -> list[Live]:
        return [record for record in self.by_state("live", limit) if isinstance(record, Live)]

    def by_state(self, state: str, limit: int) -> list[Record]:
        found = [record for record in self._readable_records() if state_of(record) == state]
        return sorted(found, key=lambda record: record.changed_at, reverse=True)[:limit]

    def count(self, state: str, limit: int) -> int:
        return len(self.by_state(state, limit))

    def redirects_to(self, target: str) -> Iterator[Redirect]:
        return (record for record in self.redirects() if record.target == target)

    def redirects(self) -> Iterator[Redirect]:
        return (record for record in self._readable_records() if isinstance(record, Redirect))

    def _readable_records(self) -> list[Record]:
        records = list(self._records.values())
        return [record for record in records if not isinstance(record, RecordDamaged)]
