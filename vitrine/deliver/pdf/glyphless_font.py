"""A TrueType font of one glyph that shows nothing: the text over a picture needs no other.

Sources: ISO 32000-1:2008, 9.9, for the tables that a PDF needs; OpenType 1.9 for what is in them.
"""

import struct

UNITS = 1_000
"""Units of the em."""
ADVANCE = 500
"""Width of each character in these: matrices stretch words to their boxes."""
DESCENT = -200
"""Lower edge of the box of a character, below the base line; the box is an em high."""
ASCENT = UNITS + DESCENT
_MAGIC, _VERSION = 0x5F0F3CF5, 0x00010000
_CHECKSUM = 0xB1B0AFBA
_ADJUSTMENT_AT = 8
"""Offset of what makes the checksum of the font right, in the table `head`."""


def write_font() -> bytes:
    """Return the font; always the same bytes."""
    metrics = (_VERSION, ASCENT, DESCENT, 0, ADVANCE, 0, 0, 0, 1, 0, 0, 0, 1)
    times, box, style = (0, 0), (0, DESCENT, ADVANCE, ASCENT), (0, 8, 2, 1, 0)
    tables = {
        b"glyf": bytes(4),
        b"head": struct.pack(
            ">IIIIHHqqhhhhHHhhh", _VERSION, _VERSION, 0, _MAGIC, 0, UNITS, *times, *box, *style
        ),
        b"hhea": struct.pack(">IhhhHhhhhhh8xhH", *metrics),
        b"hmtx": struct.pack(">Hh", ADVANCE, 0),
        b"loca": struct.pack(">II", 0, 0),
        b"maxp": struct.pack(">IH8xH16x", _VERSION, 1, 2),
    }
    # The greatest power of two that is not more than six is four.
    font = bytearray(struct.pack(">IHHHH", _VERSION, len(tables), 64, 2, 32))
    offset, head = len(font) + 16 * len(tables), 0
    for name, body in tables.items():
        font += struct.pack(">4sIII", name, _sum(body), offset, len(body))
        head = offset if name == b"head" else head
        offset += len(_padded(body))
    font += b"".join(map(_padded, tables.values()))
    struct.pack_into(">I", font, head + _ADJUSTMENT_AT, (_CHECKSUM - _sum(font)) % (1 << 32))
    return bytes(font)


def _padded(body: bytes | bytearray) -> bytes:
    return bytes(body) + bytes(-len(body) % 4)


def _sum(body: bytes | bytearray) -> int:
    padded = _padded(body)
    total: int = sum(struct.unpack(f">{len(padded) // 4}I", padded))
    return total % (1 << 32)
