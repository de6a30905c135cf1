"""The header of a JPEG stream, as decoders interpret it.

Sources: ITU-T T.81, annex B; JFIF 1.02; ITU-T T.872, 6.5.3 (Adobe's APP14).
"""

import struct
from dataclasses import dataclass

_SOI = b"\xff\xd8"
_SOS, _EOI, _APP0, _APP14 = 0xDA, 0xD9, 0xE0, 0xEE
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_ALONE = frozenset({0x01, *range(0xD0, 0xD8)})
HUFFMAN_SEQUENTIAL = frozenset({0xC0, 0xC1})
"""Baseline and extended frames."""
HUFFMAN = HUFFMAN_SEQUENTIAL | {0xC2}
"""Markers of frames that browsers decode: the sequential ones, and progressive."""
_FILL = 0xFF
_JFIF, _ADOBE = b"JFIF\0", b"Adobe"
_ADOBE_TRANSFORM = 11


@dataclass(frozen=True, slots=True)
class StreamHeader:
    """Everything before the first scan's data. Sizes in pixels."""

    width: int
    height: int
    bits: int
    components: int
    frame: int
    """The SOF marker's second byte."""
    frame_offset: int
    """Offset of SOF in bytes."""
    jfif: bool
    """True if an APP0 says YCbCr, or gray."""
    adobe: int | None
    """The transform of Adobe's APP14: 0 none (RGB), 1 YCbCr, 2 YCCK; None without one."""
    length: int
    """Bytes up to the first scan's data."""


def read_header(stream: bytes) -> StreamHeader | None:
    """Read the header of a JPEG stream, None if it is cut off or not a JPEG. Reads no scan data."""
    try:
        return _read_header(stream) if stream.startswith(_SOI) else None
    except (IndexError, struct.error):
        return None


def _read_header(stream: bytes) -> StreamHeader | None:
    at, jfif, adobe = len(_SOI), False, None
    frame = (0, 0, 0, 0, 0, 0)
    while stream[at] == _FILL:
        marker = stream[at + 1]
        if marker == _FILL:
            at += 1
            continue
        if marker in _ALONE:
            at += 2
            continue
        if marker == _EOI:
            return None
        [length] = struct.unpack_from(">H", stream, at + 2)
        body, end = at + 4, at + 2 + length
        if length < 2 or end > len(stream):
            return None
        if marker in _FRAMES:
            bits, height, width, components = struct.unpack_from(">BHHB", stream, body)
            frame = (width, height, bits, components, marker, at)
        elif marker == _APP0:
            jfif = jfif or stream.startswith(_JFIF, body)
        elif marker == _APP14 and stream.startswith(_ADOBE, body):
            adobe = stream[body + _ADOBE_TRANSFORM]
        elif marker == _SOS:
            return StreamHeader(*frame, jfif, adobe, end)
        at = end
    return None
