"""Addresses for uploads to a bucket in memory."""

from collections.abc import Mapping
from urllib.parse import quote, unquote

from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import ObjectMissing
from vitrine.ports import ObjectInfo

BASE = "memory://uploads/"
PARTS = "memory://parts/"


class MemoryUploadAddresses:
    """Addresses that `send` takes, as strictly as S3."""

    def __init__(self, store: MemoryObjectStore) -> None:
        self._store = store
        self._given: dict[str, tuple[int, str, dict[str, str]]] = {}
        self._started: dict[tuple[str, str], tuple[str, dict[str, str]]] = {}
        self._parts: dict[tuple[str, str], dict[int, bytes]] = {}

    def upload_address(
        self, key: str, *, size: int, content_type: str, metadata: Mapping[str, str], seconds: int
    ) -> tuple[str, dict[str, str]]:
        address = BASE + quote(key, safe="")
        self._given[address] = (size, content_type, dict(metadata))
        return address, {"content-length": str(size), "content-type": content_type}

    def start_parts(self, key: str, *, content_type: str, metadata: Mapping[str, str]) -> str:
        upload = str(len(self._parts))
        self._parts[key, upload] = {}
        self._started[key, upload] = content_type, dict(metadata)
        return upload

    def part_address(
        self, key: str, upload: str, number: int, *, size: int, seconds: int
    ) -> tuple[str, dict[str, str]]:
        address = f"{PARTS}{quote(key, safe='')}/{upload}/{number}/{size}"
        return address, {"content-length": str(size)}

    def stored_parts(self, key: str, upload: str) -> dict[int, int]:
        return {number: len(body) for number, body in self._find_parts(key, upload).items()}

    def join_parts(self, key: str, upload: str) -> None:
        bodies = self._find_parts(key, upload)
        content_type, metadata = self._started[key, upload]
        body = b"".join(bodies[number] for number in sorted(bodies))
        self._store.put(key, body, content_type=content_type, metadata=metadata)
        del self._parts[key, upload]

    def send_part(self, address: str, body: bytes) -> None:
        """Store what is sent to the address of a part. Raises ValueError for another size."""
        key, upload, number, size = address.removeprefix(PARTS).split("/")
        if len(body) != int(size):
            raise ValueError(f"{len(body)} bytes were sent to an address for {size}.")
        self._find_parts(unquote(key), upload)[int(number)] = body

    def _find_parts(self, key: str, upload: str) -> dict[int, bytes]:
        try:
            return self._parts[key, upload]
        except KeyError:
            raise ObjectMissing(key) from None

    def send(self, address: str, body: bytes) -> ObjectInfo:
        """Store what is sent to an address. Raises ValueError for another size."""
        size, content_type, metadata = self._given[address]
        if len(body) != size:
            raise ValueError(f"{len(body)} bytes were sent to an address for {size}.")
        key = unquote(address.removeprefix(BASE))
        return self._store.put(key, body, content_type=content_type, metadata=metadata)
