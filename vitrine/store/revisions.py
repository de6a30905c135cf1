"""Journals in a bucket: one small object per change of a name, never overwritten.

An entry is the whole record after the change, under a key made of the identifier and the revision.
The newest entry of an identifier is the truth about it, and the first to write an entry has made
the change.
"""

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from vitrine.errors import ObjectMissing
from vitrine.ports import Listed, VersionedStore
from vitrine.store.layout import journal_folder, journal_key, parse_journal_key

CONTENT_TYPE = "application/json; charset=utf-8"

T = TypeVar("T")


class Revisions(Generic[T]):
    """The entries in `store`, below `root`."""

    def __init__(
        self,
        store: VersionedStore,
        root: str,
        encode: Callable[[T], bytes],
        decode: Callable[[bytes], T],
    ) -> None:
        self._store = store
        self._root = root
        self._encode = encode
        self._decode = decode

    def append(self, identifier: str, revision: int, record: T) -> None:
        """Write an entry. Raises PreconditionFailed if there is one of this revision already."""
        key = journal_key(identifier, revision, self._root)
        self._store.put(key, self._encode(record), content_type=CONTENT_TYPE, if_etag="")

    def read(self, key: str) -> T:
        """Return the entry under `key`. Raises ObjectMissing."""
        return self._decode(self._store.get(key)[0])

    def latest(self, identifier: str) -> T | None:
        """Return the newest entry of an identifier."""
        keys = self._list_keys(identifier)
        return self.read(keys[-1]) if keys else None

    def history(self, identifier: str) -> Iterator[T]:
        """Yield all entries of an identifier, oldest first."""
        return map(self.read, self._list_keys(identifier))

    def newest_first(self, identifier: str) -> Iterator[T]:
        """Yield all entries of an identifier, newest first, each read when it is asked for."""
        return map(self.read, reversed(self._list_keys(identifier)))

    def entry(self, identifier: str, revision: int) -> T | None:
        """Return the record of an identifier after its change number `revision`."""
        try:
            return self.read(journal_key(identifier, revision, self._root))
        except ObjectMissing:
            return None

    def identifiers(self) -> Iterator[str]:
        """Yield every identifier that has an entry, in the order of the keys."""
        last = ""
        for key in list_folder(self._store, self._root):
            identifier, _ = parse_journal_key(key, self._root)
            if identifier != last:
                yield identifier
            last = identifier

    def _list_keys(self, identifier: str) -> list[str]:
        return list(list_folder(self._store, journal_folder(identifier, self._root)))


def list_folder(store: VersionedStore, folder: str) -> Iterator[str]:
    """Yield the keys that begin with `folder`, in order."""
    return (entry.key for entry in list_entries(store, folder))


def list_entries(store: VersionedStore, folder: str) -> Iterator[Listed]:
    """Yield what is listed of the keys that begin with `folder`, in order."""
    after = folder
    while True:
        page = store.list_keys(after)
        own = [entry for entry in page.entries if entry.key.startswith(folder)]
        yield from own
        if not page.next or len(own) < len(page.entries):
            return
        after = page.next
