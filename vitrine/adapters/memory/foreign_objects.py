"""Other buckets in memory."""

from collections.abc import Mapping

from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import ObjectMissing
from vitrine.ports import ObjectInfo, ObjectStore


class MemoryForeignObjects:
    """Other buckets, in `buckets` by name; copies are written to `masters`."""

    def __init__(self, masters: ObjectStore) -> None:
        self._masters = masters
        self.buckets: dict[str, MemoryObjectStore] = {}

    def head(self, place: str) -> ObjectInfo:
        bucket, _, key = place.partition("/")
        return self._find_bucket(bucket).head(key)

    def copy(self, source: ObjectInfo, place: str, key: str, metadata: Mapping[str, str]) -> None:
        bucket, _, name = place.partition("/")
        body, _ = self._find_bucket(bucket).get(name)
        self._masters.put(key, body, content_type="", metadata=metadata)

    def _find_bucket(self, name: str) -> MemoryObjectStore:
        if name not in self.buckets:
            raise ObjectMissing(f"There is no bucket {name}.")
        return self.buckets[name]
