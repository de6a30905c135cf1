"""The checksum that a store keeps of a whole object, as text: `crc32:cbf43926`, `md5:…` in hex."""

import hashlib
import zlib
from collections.abc import Callable

ALGORITHMS: dict[str, Callable[[bytes], str]] = {
    # RFC 1952, section 8
    "crc32": lambda data: f"{zlib.crc32(data):08x}",
    "sha256": lambda data: hashlib.sha256(data).hexdigest(),
    "sha1": lambda data: hashlib.sha1(data, usedforsecurity=False).hexdigest(),
    "md5": lambda data: hashlib.md5(data, usedforsecurity=False).hexdigest(),
}
"""Algorithms, the fastest first. CRC-64/NVME and CRC-32C are missing, for which the standard
library has nothing."""


def checksum_of(data: bytes, algorithm: str) -> str:
    """Return the checksum of bytes in memory."""
    return f"{algorithm}:{ALGORITHMS[algorithm](data)}"
