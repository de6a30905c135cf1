"""The journal of identifiers: one small object per change, written before the table is.

So the newest entry of an identifier is the truth about it, and the table is a copy that answers
quickly.
"""

import json
from collections.abc import Iterator

from vitrine.ports import VersionedStore
from vitrine.records import Live, Record, record_as_json, record_from_json
from vitrine.store.layout import JOURNAL
from vitrine.store.revisions import Revisions


class Journal:
    """The entries in `store`; `author` makes the changes that are appended."""

    def __init__(self, store: VersionedStore, author: str = "") -> None:
        self._entries = Revisions(store, JOURNAL, _encode_record, _decode_record, author)

    def append(self, record: Record) -> None:
        """Write the entry of `record.revision`. Raises PreconditionFailed if it exists already."""
        self._entries.append(record.identifier, record.revision, record)

    def read(self, key: str) -> Record:
        """Return the entry under `key`. Raises ObjectMissing."""
        return self._entries.read(key)

    def latest(self, identifier: str) -> Record | None:
        """Return the newest entry of an identifier."""
        return self._entries.latest(identifier)

    def history(self, identifier: str) -> list[Record]:
        """Return all entries of an identifier, oldest first."""
        return list(self._entries.history(identifier))

    def last_image(self, identifier: str) -> Live | None:
        """Return the image that an identifier answers with, or the last it answered with."""
        records = self._entries.newest_first(identifier)
        return next((record for record in records if isinstance(record, Live)), None)

    def identifiers(self) -> Iterator[str]:
        """Yield every identifier that there ever was."""
        return self._entries.identifiers()

    def entry(self, identifier: str, revision: int) -> Record | None:
        """Return the record of an identifier after its change number `revision`."""
        return self._entries.entry(identifier, revision)


def _encode_record(record: Record) -> bytes:
    text = json.dumps(record_as_json(record), ensure_ascii=False, separators=(",", ":"))
    return text.encode()


def _decode_record(body: bytes) -> Record:
    return record_from_json(json.loads(body))
