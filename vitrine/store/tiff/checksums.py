"""Checksums of an access master: CRC-32C of its head, of each tile, and of its tail.

They stand where no TIFF reader looks, as GDAL's do in a cloud-optimised GeoTIFF: right behind the
TIFF header, at byte 8 (16 in BigTIFF), is a seal of 32 bytes, and the last bytes of the head are
the checksums of all tiles, 4 bytes each, in the order of the tiles. So the head vouches for itself
and for every tile. Source of the polynomial: RFC 3720, section 12.1.

    16 bytes  MAGIC
     4        length of the head in bytes
     4        checksum of the head, taken while these four bytes are 0
     4        length of the tail in bytes: of all that follows the last tile
     4        checksum of the tail
"""

import struct
import sys
from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import google_crc32c
from google_crc32c import extend as extend_crc32c
from google_crc32c import value as crc32c

from vitrine.store.tiff.entry import MalformedTiff
from vitrine.store.tiff.reading import ReadRange

__all__ = [
    "SEAL_BYTES",
    "FileChecksums",
    "WrongChecksum",
    "crc32c",
    "extend_crc32c",
    "pack_tile_checksums",
    "read_checksums",
    "seal",
]

if google_crc32c.implementation != "c":
    raise ImportError(
        "google_crc32c has no compiled part for this Python, and would take 1,500 times as long: "
        f"install its wheel for Python {sys.version_info.major}.{sys.version_info.minor}.",
        name="google_crc32c",
    )

MAGIC = b"VITRINE CRC-32C\n"
_FORM = struct.Struct("<16s4I")
SEAL_BYTES = _FORM.size
_CHECKSUM_BYTES = 4
_AT = {False: 8, True: 16}
"""Offset of the seal, in TIFF and in BigTIFF."""
_HEAD_CHECKSUM = slice(20, 24)
_LIKE_MAGIC = 8
"""Bytes of the magic whose presence makes a damaged seal of it, not a file without one."""


class WrongChecksum(MalformedTiff):
    """The bytes that were read are not those that were written."""


@dataclass(frozen=True, slots=True)
class FileChecksums:
    """The checksums of one file, lengths in bytes."""

    head_bytes: int
    head: int
    """Checksum of the head's bytes as they are, with the seal's own checksum among them."""
    tail_bytes: int
    tail: int
    tiles: "array[int]"
    """In the order of the tiles: those of the smallest level first."""


def pack_tile_checksums(checksums: Sequence[int]) -> bytes:
    """Return the checksums of tiles as the file has them."""
    return struct.pack(f"<{len(checksums)}I", *checksums)


def seal(head: bytes, tail: bytes, *, big: bool) -> bytes:
    """Return the head with its seal, for which it has room."""
    at = _AT[big]
    before, after = head[:at], head[at + SEAL_BYTES :]
    blank = _FORM.pack(MAGIC, len(head), 0, len(tail), crc32c(tail))
    checksum = crc32c(before + blank + after)
    return before + _FORM.pack(MAGIC, len(head), checksum, len(tail), crc32c(tail)) + after


def read_checksums(read: ReadRange, size: int, *, big: bool, tiles: int) -> FileChecksums | None:
    """Read the checksums of a file of `size` bytes and `tiles` tiles, and compare its head.

    Returns None if it has none. Raises WrongChecksum, and what `read` raises.
    """
    at = _AT[big]
    if size < at + SEAL_BYTES:
        return None
    magic, head_bytes, expected, tail_bytes, tail = _FORM.unpack(read(at, SEAL_BYTES))
    if magic != MAGIC:
        alike = sum(a == b for a, b in zip(magic, MAGIC, strict=True))
        if alike >= _LIKE_MAGIC:
            raise WrongChecksum("Its seal is damaged.")
        return None
    first = head_bytes - tiles * _CHECKSUM_BYTES
    if first < at + SEAL_BYTES or head_bytes + tail_bytes > size:
        raise WrongChecksum("Its seal is not that of this file.")
    head = read(0, head_bytes)
    blank = bytearray(head)
    blank[at + _HEAD_CHECKSUM.start : at + _HEAD_CHECKSUM.stop] = bytes(4)
    if crc32c(bytes(blank)) != expected:
        raise WrongChecksum("Its head is not the one that was written.")
    checksums = array("I", head[first:])
    if sys.byteorder == "big":
        checksums.byteswap()
    return FileChecksums(head_bytes, crc32c(head), tail_bytes, tail, checksums)
