"""The identifiers table in memory."""

from collections.abc import Collection
from threading import Lock

from vitrine.errors import PreconditionFailed
from vitrine.identify.record import Gone, Live, Record


class MemoryIdentifierTable:
    """A dictionary with the table's conditions."""

    def __init__(self, *records: Record) -> None:
        self._records: dict[str, Record] = {record.identifier: record for record in records}
        self._lock = Lock()

    def get(self, identifier: str) -> Record | None:
        return self._records.get(identifier)

    def get_many(self, identifiers: Collection[str]) -> dict[str, Record]:
        return {name: self._records[name] for name in identifiers if name in self._records}

    def publish(self, image: Live) -> Record | None:
        with self._lock:
            there = self._records.get(image.identifier)
            if isinstance(there, Live) and (
                there.master_key != image.master_key
                or there.master_modified > image.master_modified
            ):
                raise PreconditionFailed(image.identifier)
            self._records[image.identifier] = image
            return there

    def withdraw(self, image: Live, tombstone: Gone) -> None:
        with self._lock:
            there = self._records.get(image.identifier)
            if not isinstance(there, Live) or (there.master_key, there.master_version) != (
                image.master_key,
                image.master_version,
            ):
                raise PreconditionFailed(image.identifier)
            self._records[image.identifier] = tombstone

    def newest(self, limit: int) -> list[Live]:
        live = [record for record in self._records.values() if isinstance(record, Live)]
        return sorted(live, key=lambda image: image.published_at, reverse=True)[:limit]
