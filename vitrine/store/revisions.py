"""Journals in a bucket: one small object per change of a name, never overwritten.

An entry is the whole record after the change, under a key made of the identifier and the revision.
The newest entry of an identifier is the truth about it, and the first to write an entry has made
the change. Since an entry never changes, those that were read or written last are kept in memory.
"""

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import ceil
from threading import Lock
from typing import Generic, TypeVar

from vitrine.errors import ObjectMissing, RevisionChanged
from vitrine.ports import ListedObject, VersionedStore
from vitrine.slices import split_batches
from vitrine.store.layout import journal_folder, journal_key, parse_journal_key

CONTENT_TYPE = "application/json; charset=utf-8"

AUTHOR = "author"
"""Metadata of an entry: who made the change, as the door that it came by knows them."""
LAST_REVISION = 9_999_999_999
KEPT_BYTES = 1_000_000
"""Bytes of the entries in memory, as they are stored; decoded they take some five times as much."""
MIN_KEYS, MAX_KEYS = 8, 1_000
"""Keys that are listed at once where many identifiers are looked up: S3's limit, and so few that
their description takes no longer than the request."""
MIN_TOGETHER, THREADS = 20, 16
"""Identifiers that one thread looks up at least, and threads."""

T = TypeVar("T")


class Revisions(Generic[T]):
    """The entries in `store`, below `root`. `author` is who makes the changes that are appended."""

    def __init__(
        self,
        store: VersionedStore,
        root: str,
        encode: Callable[[T], bytes],
        decode: Callable[[bytes], T],
        author: str = "",
    ) -> None:
        self._store = store
        self._root = root
        self._encode = encode
        self._decode = decode
        self._metadata = {AUTHOR: author} if author else {}
        self._kept = _KeptEntries[T]()

    def append(self, identifier: str, revision: int, record: T) -> None:
        """Write an entry. Raises PreconditionFailed if there is one of this revision already."""
        key = journal_key(identifier, revision, self._root)
        body = self._encode(record)
        self._store.put(key, body, content_type=CONTENT_TYPE, if_etag="", metadata=self._metadata)
        self._kept.add(key, record, len(body))

    def read(self, key: str) -> T:
        """Return the entry under `key`. Raises ObjectMissing."""
        record = self._kept.get(key)
        if record is None:
            body, _ = self._store.get(key)
            record = self._decode(body)
            self._kept.add(key, record, len(body))
        return record

    def latest(self, identifier: str) -> T | None:
        """Return the newest entry of an identifier."""
        keys = self._list_keys(identifier)
        return self.read(keys[-1]) if keys else None

    def find_newest(self, identifiers: Collection[str]) -> dict[str, int]:
        """Return the revisions of the newest entries of many identifiers; 0 for one without any.

        Those of neighbours are in one answer, so this takes at most as many requests as identifiers
        and a few for all of them in a journal that has little else.
        """
        folders = {journal_folder(one, self._root): one for one in identifiers}
        size = max(MIN_TOGETHER, ceil(len(folders) / THREADS))
        found = dict.fromkeys(identifiers, 0)
        with ThreadPoolExecutor(THREADS, thread_name_prefix="newest") as threads:
            for keys in threads.map(self._find_keys, split_batches(sorted(folders), size)):
                found |= {folders[one]: parse_journal_key(keys[one], self._root)[1] for one in keys}
        return found

    def _find_keys(self, folders: Sequence[str]) -> dict[str, str]:
        """Return the last key in each of these folders, which are in order, if there is one.

        The more folders one answer had, the longer is the next one.
        """
        found: dict[str, str] = {}
        number, after, limit = 0, "", MIN_KEYS
        while number < len(folders):
            page = self._store.list_keys(max(after, folders[number]), limit, prefix=self._root)
            began, after = number, page.next
            for key in (entry.key for entry in page.entries):
                while number < len(folders) and _is_behind(key, folders[number]):
                    number += 1
                if number < len(folders) and key.startswith(folders[number]):
                    found[folders[number]] = key
            if not after:
                break
            while number < len(folders) and _is_behind(after, folders[number]):
                number += 1
            passed = number - began
            limit = min(MIN_KEYS * passed if passed else 2 * limit, MAX_KEYS)
        return found

    def history(self, identifier: str) -> Iterator[T]:
        """Yield all entries of an identifier, oldest first."""
        return map(self.read, self._list_keys(identifier))

    def signed_newest_first(self, identifier: str, before: int = 0) -> Iterator[tuple[T, str]]:
        """Yield entries and who made them, "" if that is unknown, newest first.

        With `before`, only the revisions before that one.
        """
        for key in reversed(self._list_keys(identifier)):
            if not before or parse_journal_key(key, self._root)[1] < before:
                body, info = self._store.get(key)
                yield self._decode(body), info.metadata.get(AUTHOR, "")

    def newest_first(self, identifier: str) -> Iterator[T]:
        """Yield all entries of an identifier, newest first, each read when it is asked for."""
        return map(self.read, reversed(self._list_keys(identifier)))

    def entry(self, identifier: str, revision: int) -> T | None:
        """Return the record of an identifier after its change number `revision`, from 1."""
        try:
            return self.read_found(identifier, revision)
        except ObjectMissing:
            return None

    def read_found(self, identifier: str, revision: int) -> T | None:
        """Return the same of a revision that there is; None for 0. Raises ObjectMissing."""
        return self.read(journal_key(identifier, revision, self._root)) if revision > 0 else None

    def identifiers(self, after: str = "") -> Iterator[str]:
        """Yield every identifier that has an entry, in the order of the keys.

        With `after`, those behind that one.
        """
        last = ""
        start = journal_key(after, LAST_REVISION, self._root) if after else ""
        for key in list_folder(self._store, self._root, start):
            identifier, _ = parse_journal_key(key, self._root)
            if identifier != last:
                yield identifier
            last = identifier

    def _list_keys(self, identifier: str) -> list[str]:
        return list(list_folder(self._store, journal_folder(identifier, self._root)))


class _KeptEntries(Generic[T]):
    """Entries by key, those that were used last. For any number of threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._entries: OrderedDict[str, tuple[T, int]] = OrderedDict()
        self._bytes = 0

    def get(self, key: str) -> T | None:
        with self._lock:
            if key not in self._entries:
                return None
            self._entries.move_to_end(key)
            return self._entries[key][0]

    def add(self, key: str, record: T, size: int) -> None:
        with self._lock:
            if key in self._entries or size > KEPT_BYTES:
                return
            self._entries[key] = record, size
            self._bytes += size
            while self._bytes > KEPT_BYTES:
                _, (_, dropped) = self._entries.popitem(last=False)
                self._bytes -= dropped


def _is_behind(key: str, folder: str) -> bool:
    return key > folder and not key.startswith(folder)


def check_revision(identifier: str, found: int, expected: int | None) -> None:
    """Raise RevisionChanged unless the revision is the expected one, or any one is."""
    if expected is not None and found != expected:
        raise RevisionChanged(identifier, found, expected)


def list_folder(store: VersionedStore, folder: str, after: str = "") -> Iterator[str]:
    """Yield the keys that begin with `folder`, in order; with `after`, those behind that key."""
    return (entry.key for entry in list_entries(store, folder, after))


def has_entries(store: VersionedStore, folder: str) -> bool:
    """Return True if any key begins with `folder`."""
    return next(list_entries(store, folder, limit=1), None) is not None


def list_entries(
    store: VersionedStore, folder: str, after: str = "", limit: int = 1_000
) -> Iterator[ListedObject]:
    """Yield what is listed of the keys that begin with `folder`; with `after`, those behind it.

    `limit` is the number of keys that the store is asked for at once.
    """
    after = after or folder
    while True:
        page = store.list_keys(after, limit, prefix=folder)
        yield from page.entries
        if not page.next:
            return
        after = page.next
