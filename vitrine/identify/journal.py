"""The journal of identifiers: one small object per change, written before the table is.

An entry is the whole record after the change, under a key made of the identifier and the revision;
no entry is ever overwritten. So the newest entry of an identifier is the truth about it, the table
is a copy that answers quickly, and the first to write an entry has made the change.
"""

import json

from vitrine.errors import ObjectMissing
from vitrine.ports import VersionedStore
from vitrine.records import Live, Record, record_as_json, record_from_json
from vitrine.store.layout import journal_folder, journal_key

CONTENT_TYPE = "application/json; charset=utf-8"


class Journal:
    """The entries in `store`."""

    def __init__(self, store: VersionedStore) -> None:
        self._store = store

    def append(self, record: Record) -> None:
        """Write the entry of `record.revision`. Raises PreconditionFailed if it exists already."""
        body = json.dumps(record_as_json(record), ensure_ascii=False, separators=(",", ":"))
        key = journal_key(record.identifier, record.revision)
        self._store.put(key, body.encode(), content_type=CONTENT_TYPE, if_etag="")

    def read(self, key: str) -> Record:
        """Return the entry under `key`. Raises ObjectMissing."""
        return record_from_json(json.loads(self._store.get(key)[0]))

    def latest(self, identifier: str) -> Record | None:
        """Return the newest entry of an identifier."""
        keys = self._list_keys(identifier)
        return self.read(keys[-1]) if keys else None

    def history(self, identifier: str) -> list[Record]:
        """Return all entries of an identifier, oldest first."""
        return [self.read(key) for key in self._list_keys(identifier)]

    def last_image(self, identifier: str) -> Live | None:
        """Return the image that an identifier answers with, or the last it answered with."""
        records = map(self.read, reversed(self._list_keys(identifier)))
        return next((record for record in records if isinstance(record, Live)), None)

    def entry(self, identifier: str, revision: int) -> Record | None:
        """Return the record of an identifier after its change number `revision`."""
        try:
            return self.read(journal_key(identifier, revision))
        except ObjectMissing:
            return None

    def _list_keys(self, identifier: str) -> list[str]:
        folder, after, keys = journal_folder(identifier), journal_folder(identifier), []
        while True:
            page = self._store.list_keys(after)
            own_keys = [entry.key for entry in page.entries if entry.key.startswith(folder)]
            keys += own_keys
            if not page.next or len(own_keys) < len(page.entries):
                return keys
            after = page.next
