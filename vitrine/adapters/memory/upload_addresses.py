"""Addresses for uploads to a bucket in memory."""

from collections.abc import Mapping
from urllib.parse import quote, unquote

from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.ports import ObjectInfo

BASE = "memory://uploads/"


class MemoryUploadAddresses:
    """Addresses that `send` takes, as strictly as S3."""

    def __init__(self, store: MemoryObjectStore) -> None:
        self._store = store
        self._given: dict[str, tuple[int, str, dict[str, str]]] = {}

    def upload_address(
        self, key: str, *, size: int, content_type: str, metadata: Mapping[str, str], seconds: int
    ) -> tuple[str, dict[str, str]]:
        address = BASE + quote(key, safe="")
        self._given[address] = (size, content_type, dict(metadata))
        return address, {"content-length": str(size), "content-type": content_type}

    def send(self, address: str, body: bytes) -> ObjectInfo:
        """Store what is sent to an address. Raises ValueError for another size."""
        size, content_type, metadata = self._given[address]
        if len(body) != size:
            raise ValueError(f"{len(body)} bytes were sent to an address for {size}.")
        key = unquote(address.removeprefix(BASE))
        return self._store.put(key, body, content_type=content_type, metadata=metadata)
