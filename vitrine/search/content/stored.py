"""Text indexes in the bucket of the site: those that were read last stay in memory."""

from collections import OrderedDict
from threading import Lock

from vitrine.ports import ObjectStore
from vitrine.search.content.text_index import TextIndex

MAX_BYTES = 64 << 20
"""Bytes that are kept of all indexes."""


class StoredIndexes:
    """Text indexes by their keys, under which nothing ever changes. Safe from several threads."""

    def __init__(self, site: ObjectStore) -> None:
        self._site = site
        self._lock = Lock()
        self._kept: OrderedDict[str, TextIndex] = OrderedDict()

    def open(self, key: str) -> TextIndex:
        """Return an index. Raises ObjectMissing, TransientError, and UnusableIndex."""
        index = self._kept.get(key)
        if index is None:
            index = TextIndex(lambda start, length: self._site.read(key, start, length).data)
        with self._lock:
            self._forget()
            self._kept[key] = index
            self._kept.move_to_end(key)
        return index

    def _forget(self) -> None:
        """Drop those that were not used for longest, until there is room."""
        sizes = {key: index.kept_bytes for key, index in self._kept.items()}
        total = sum(sizes.values())
        while total > MAX_BYTES:
            key, _ = self._kept.popitem(last=False)
            total -= sizes[key]
