"""Numbers as bytes: gaps between positions, and columns of whole numbers."""

import sys
from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate

_BYTES = 4
_CONTINUED = bytes(range(0x80, 0x100))


def pack_positions(positions: Iterable[int]) -> bytes:
    """Return rising numbers as the gaps between them, seven bits a byte, the low ones first."""
    packed, before = bytearray(), 0
    for position in positions:
        gap, before = position - before, position
        while gap > 0x7F:
            packed.append(gap & 0x7F | 0x80)
            gap >>= 7
        packed.append(gap)
    return bytes(packed)


def unpack_positions(packed: bytes) -> list[int]:
    """Return what `pack_positions` was given."""
    if packed.isascii():
        # Frequent words, which have the most positions: each gap is a byte.
        return list(accumulate(packed))
    gaps: list[int] = []
    gap = shift = 0
    for byte in packed:
        if byte & 0x80:
            gap |= (byte & 0x7F) << shift
            shift += 7
        elif shift:
            gaps.append(gap | byte << shift)
            gap = shift = 0
        else:
            gaps.append(byte)
    return list(accumulate(gaps))


def count_positions(packed: bytes) -> int:
    """Return how many numbers `pack_positions` was given."""
    return len(packed.translate(None, _CONTINUED))


def pack_column(numbers: Sequence[int]) -> bytes:
    """Return numbers of 32 bits as planes: all lowest bytes first. That compresses better."""
    column = array("i", numbers)
    if sys.byteorder == "big":
        column.byteswap()
    raw = column.tobytes()
    return b"".join(raw[plane::_BYTES] for plane in range(_BYTES))


def unpack_column(packed: bytes) -> list[int]:
    """Return what `pack_column` was given."""
    count = len(packed) // _BYTES
    raw = bytearray(len(packed))
    for plane in range(_BYTES):
        raw[plane::_BYTES] = packed[plane * count : (plane + 1) * count]
    column = array("i", bytes(raw))
    if sys.byteorder == "big":
        column.byteswap()
    return column.tolist()
