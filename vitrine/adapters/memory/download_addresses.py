"""Addresses of objects in a bucket in memory."""

from urllib.parse import quote, unquote

from vitrine.adapters.memory.object_store import MemoryObjectStore

BASE = "memory://downloads/"


class MemoryDownloadAddresses:
    """Addresses that `fetch` takes."""

    def __init__(self, store: MemoryObjectStore) -> None:
        self._store = store
        self._given: set[str] = set()

    def download_address(self, key: str, *, seconds: int) -> str:
        address = BASE + quote(key, safe="")
        self._given.add(address)
        return address

    def fetch(self, address: str) -> bytes:
        """Return the object of an address. Raises KeyError, ObjectMissing."""
        if address not in self._given:
            raise KeyError(address)
        return self._store.get(unquote(address.removeprefix(BASE)))[0]
