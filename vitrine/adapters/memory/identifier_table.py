"""The identifiers table in memory."""

from collections.abc import Collection, Iterator
from threading import Lock

from vitrine.errors import PreconditionFailed
from vitrine.records import Live, Record, Redirect
from vitrine.records import state as state_of


class MemoryIdentifierTable:
    """A dictionary with the table's conditions."""

    def __init__(self, *records: Record) -> None:
        self._records: dict[str, Record] = {record.identifier: record for record in records}
        self._lock = Lock()

    def get(self, identifier: str) -> Record | None:
        return self._records.get(identifier)

    def get_many(
        self, identifiers: Collection[str], *, consistent: bool = False
    ) -> dict[str, Record]:
        return {name: record for name in identifiers if (record := self.get(name))}

    def write(self, record: Record, replaces: Record | None) -> None:
        with self._lock:
            current = self._records.get(record.identifier)
            if (current and current.revision) != (replaces and replaces.revision):
                raise PreconditionFailed(record.identifier)
            self._records[record.identifier] = record

    def newest(self, limit: int) -> list[Live]:
        return [record for record in self.by_state("live", limit) if isinstance(record, Live)]

    def by_state(self, state: str, limit: int) -> list[Record]:
        found = [record for record in self._records.values() if state_of(record) == state]
        return sorted(found, key=lambda record: record.changed_at, reverse=True)[:limit]

    def count(self, state: str, limit: int) -> int:
        return len(self.by_state(state, limit))

    def redirects_to(self, target: str) -> Iterator[Redirect]:
        return (record for record in self.redirects() if record.target == target)

    def redirects(self) -> Iterator[Redirect]:
        records = list(self._records.values())
        return (record for record in records if isinstance(record, Redirect))
