"""The checksum that a store keeps of a whole object, as text: `crc32:cbf43926`, `md5:…` in hex."""

import hashlib
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

_CHUNK_BYTES = 1 << 20


class _Digest(Protocol):
    def update(self, data: Any, /) -> None: ...

    def hexdigest(self) -> str: ...


class _Crc32:
    """CRC-32 (RFC 1952, section 8) with the methods of a digest."""

    def __init__(self) -> None:
        self._value = 0

    def update(self, data: Any, /) -> None:
        self._value = zlib.crc32(data, self._value)

    def hexdigest(self) -> str:
        return f"{self._value:08x}"


ALGORITHMS: dict[str, Callable[[], _Digest]] = {
    "crc32": _Crc32,
    "sha256": hashlib.sha256,
    "sha1": lambda: hashlib.sha1(usedforsecurity=False),
    "md5": lambda: hashlib.md5(usedforsecurity=False),
}
"""What can be compared, the fastest first. Not CRC-64/NVME and CRC-32C, for which the standard
library has nothing."""


def checksum_of(data: bytes, algorithm: str) -> str:
    """Return the checksum of bytes in memory."""
    digest = ALGORITHMS[algorithm]()
    digest.update(data)
    return f"{algorithm}:{digest.hexdigest()}"


def has_checksum(path: Path, checksum: str) -> bool:
    """Return True if a file has this checksum. Raises OSError."""
    algorithm = checksum.partition(":")[0]
    digest = ALGORITHMS[algorithm]()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
    return checksum == f"{algorithm}:{digest.hexdigest()}"
