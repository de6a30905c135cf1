"""JPEGs of strips of an image, joined to one JPEG by bytes: nothing is decoded or encoded.

A restart marker ends each row of blocks (MCUs) that iipsrv cuts from coefficients, and after one
nothing depends on what was before it. So the coded rows of strips may follow each other, if the
markers are numbered on: 0 to 7, again and again. That they are where a strip has a multiple of
eight rows.

Source: ITU-T T.81, B.2.1, B.2.4.4 and E.1.4.
"""

import re
import struct
from dataclasses import dataclass

CYCLE = 8
"""Restart markers have eight numbers."""
END = b"\xff\xd9"
_START = b"\xff\xd8"
_BASELINE, _SCAN, _INTERVAL = 0xC0, 0xDA, 0xDD
_OTHERS = (0xC4, 0xDB, 0xFE)
"""Tables and comments; applications' segments may be in a head as well."""
_MARKERS = re.compile(rb"\xff[^\x00]|\xff\Z", re.DOTALL)
_FIRST_RESTART = 0xD0
_BLOCK = 8
_BITS = 8
_CHANNELS = (1, 3)
_MAX_FACTOR = 2
"""Sampling factor of a channel: blocks in one direction of a unit of blocks."""
_WHOLE_SPECTRUM = bytes((0, 63, 0))


class NotJoinable(Exception):
    """A JPEG is no strip that was cut from coefficients; the text says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Strip:
    """A JPEG with a restart marker after each row of blocks."""

    head: bytes
    """All before the coded rows, of an image without height: the same for strips that fit."""
    height_at: int
    """Offset of the height in it."""
    width: int
    height: int
    """In pixels."""
    rows: int
    """Number of rows of blocks."""
    coded: memoryview
    """The rows, with the markers between them."""

    def head_of(self, height: int) -> bytes:
        """Return the head of an image of this height."""
        return b"".join(
            (
                self.head[: self.height_at],
                struct.pack(">H", height),
                self.head[self.height_at + 2 :],
            )
        )


class Joining:
    """The coded rows of an image, which grow from the top down, strip by strip."""

    def __init__(self, first: Strip) -> None:
        self._head = first.head
        self._rows = first.rows

    def follow(self, strip: Strip) -> bytes:
        """Return the marker and the rows that come next. Raises NotJoinable if they do not fit."""
        if strip.head != self._head:
            raise NotJoinable("it has another width or other tables than the first one")
        if self._rows % CYCLE:
            raise NotJoinable("the one before it ends between two cycles of restart markers")
        marker = bytes((0xFF, _FIRST_RESTART + CYCLE - 1))
        self._rows += strip.rows
        return b"".join((marker, strip.coded))


def read_strip(jpeg: bytes, width: int, height: int) -> Strip:
    """Read a JPEG of this size with one marker after each row of blocks. Raises NotJoinable.

    What stands between two markers is not decoded.
    """
    try:
        strip = _read_strip(jpeg)
    except (IndexError, struct.error, ZeroDivisionError):
        raise NotJoinable("its head is cut off or makes no sense") from None
    if (strip.width, strip.height) != (width, height):
        raise NotJoinable(
            f"it has {strip.width:,} by {strip.height:,} pixels, and {width:,} by {height:,} were "
            "requested"
        )
    _check_markers(strip)
    return strip


def _read_strip(jpeg: bytes) -> Strip:
    if not (jpeg.startswith(_START) and jpeg.endswith(END)):
        raise NotJoinable("it is not a whole JPEG")
    at, interval, frame, scan = len(_START), 0, 0, 0
    while not scan:
        prefix, marker, length = struct.unpack_from(">BBH", jpeg, at)
        if prefix != 0xFF or length < 2:
            raise NotJoinable("its head makes no sense")
        if marker == _SCAN:
            scan = at
        elif marker == _BASELINE and not frame:
            frame = at
        elif marker == _INTERVAL:
            [interval] = struct.unpack_from(">H", jpeg, at + 4)
        elif not (marker in _OTHERS or 0xE0 <= marker <= 0xEF):
            raise NotJoinable(f"its head has a segment {marker:#x}")
        at += 2 + length
    if not frame:
        raise NotJoinable("it has no baseline frame")
    height, width, across, down = _measure_units(jpeg, frame, scan)
    # What iipsrv makes of pixels has no markers.
    if interval != -(-width // across):
        raise NotJoinable("it was not cut from coefficients: no marker ends each row of blocks")
    head = b"".join((jpeg[: frame + 5], bytes(2), jpeg[frame + 7 : at]))
    coded = memoryview(jpeg)[at : -len(END)]
    return Strip(head, frame + 5, width, height, -(-height // down), coded)


def _measure_units(jpeg: bytes, frame: int, scan: int) -> tuple[int, int, int, int]:
    """Return height and width of the image, and width and height of its units of blocks."""
    bits, height, width, count = struct.unpack_from(">BHHB", jpeg, frame + 4)
    if bits != _BITS or count not in _CHANNELS:
        raise NotJoinable(f"it has {count} channels of {bits} bits")
    if jpeg[scan + 4] != count or jpeg[scan + 5 + 2 * count :][:3] != _WHOLE_SPECTRUM:
        raise NotJoinable("its channels are not in one scan")
    factors = [divmod(jpeg[frame + 11 + 3 * number], 16) for number in range(count)]
    if not all(1 <= factor <= _MAX_FACTOR for pair in factors for factor in pair):
        raise NotJoinable("its channels are sampled in a way that is not written here")
    # One channel is not interleaved: its unit is a block, whatever its factors say.
    most_across, most_down = map(max, zip(*factors, strict=True)) if count > 1 else (1, 1)
    return height, width, most_across * _BLOCK, most_down * _BLOCK


def _check_markers(strip: Strip) -> None:
    """Raise NotJoinable if other markers than those between the rows are in what is coded."""
    expected = [_FIRST_RESTART + row % CYCLE for row in range(strip.rows - 1)]
    found = [marker[-1] for marker in _MARKERS.findall(strip.coded)]
    if found != expected:
        raise NotJoinable(
            f"its {strip.rows:,} rows of blocks are not separated by {len(expected):,} restart "
            "markers in their order: it is cut off or damaged"
        )
