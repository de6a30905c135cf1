"""One field of a TIFF directory, and how to make one."""

import struct
from dataclasses import dataclass

from vitrine.store.tiff.tags import Type

_INTEGER_CODES: dict[int, str] = {
    Type.BYTE: "B",
    Type.SHORT: "H",
    Type.LONG: "I",
    Type.IFD: "I",
    Type.LONG8: "Q",
    Type.IFD8: "Q",
}


class MalformedTiff(ValueError):
    """The directories cannot be read; the message is a sentence that says where they break."""


@dataclass(frozen=True)
class TiffEntry:
    """A field's type, its number of items, and its items in little-endian order."""

    type: int
    count: int
    data: bytes

    def integers(self) -> tuple[int, ...]:
        """Return the items as unsigned integers. Raises MalformedTiff for another type."""
        code = _INTEGER_CODES.get(self.type)
        if code is None:
            raise MalformedTiff(f"A field is of type {self.type} where integers belong.")
        return struct.unpack(f"<{self.count}{code}", self.data)


def shorts(*values: int) -> TiffEntry:
    """Return an entry of 16-bit integers."""
    return TiffEntry(Type.SHORT, len(values), struct.pack(f"<{len(values)}H", *values))


def longs(*values: int) -> TiffEntry:
    """Return an entry of 32-bit integers."""
    return TiffEntry(Type.LONG, len(values), struct.pack(f"<{len(values)}I", *values))


def rationals(*values: tuple[int, int]) -> TiffEntry:
    """Return an entry of fractions: numerator and denominator, 32 bits each."""
    flat = [number for pair in values for number in pair]
    return TiffEntry(Type.RATIONAL, len(values), struct.pack(f"<{len(flat)}I", *flat))


def opaque(data: bytes, field_type: Type = Type.UNDEFINED) -> TiffEntry:
    """Return an entry of bytes whose meaning is not TIFF's: a profile, a packet, JPEG tables."""
    return TiffEntry(field_type, len(data), data)


def text(value: str) -> TiffEntry:
    """Return an entry of a NUL-terminated text, UTF-8."""
    data = value.encode() + b"\0"
    return TiffEntry(Type.ASCII, len(data), data)
