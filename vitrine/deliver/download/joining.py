"""JPEGs of strips of an image, joined to one JPEG by bytes: nothing is decoded or encoded.

A restart marker ends each row of blocks (MCUs) that iipsrv cuts from coefficients, and after one
nothing depends on what was before it. So the coded rows of strips may follow each other, if the
markers are numbered on: 0 to 7, again and again. That they are where a strip has a multiple of
eight rows.

Source: ITU-T T.81, B.2.1, B.2.4.4 and E.1.4.
"""

import struct
from dataclasses import dataclass

CYCLE = 8
"""Restart markers have eight numbers."""
END = b"\xff\xd9"
_START = b"\xff\xd8"
_BASELINE, _SCAN, _INTERVAL = 0xC0, 0xDA, 0xDD
_OTHERS = (0xC4, 0xDB, 0xFE, _SCAN)
"""Tables, comments, and the head of the scan; applications' segments may be there, too."""
_FIRST_RESTART = 0xD0
_BLOCK = 8


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


def read_strip(jpeg: bytes) -> Strip:
    """Read a JPEG with one marker after each row of blocks. Raises NotJoinable."""
    try:
        return _read_strip(jpeg)
    except (IndexError, struct.error, ZeroDivisionError):
        raise NotJoinable("its head is cut off or makes no sense") from None


def restart_after(row: int) -> bytes:
    """Return the marker that follows row of blocks `row`, counted from 0."""
    return bytes((0xFF, _FIRST_RESTART + row % CYCLE))


def _read_strip(jpeg: bytes) -> Strip:
    if not (jpeg.startswith(_START) and jpeg.endswith(END)):
        raise NotJoinable("it is not a whole JPEG")
    at, interval, frame = len(_START), 0, None
    while True:
        prefix, marker, length = struct.unpack_from(">BBH", jpeg, at)
        if prefix != 0xFF or length < 2:
            raise NotJoinable("its head makes no sense")
        if marker == _BASELINE:
            frame = at
        elif marker == _INTERVAL:
            [interval] = struct.unpack_from(">H", jpeg, at + 4)
        elif not (marker in _OTHERS or 0xE0 <= marker <= 0xEF):
            raise NotJoinable(f"its head has a segment {marker:#x}")
        at += 2 + length
        if marker == _SCAN:
            break
    if frame is None:
        raise NotJoinable("it has no baseline frame")
    height, width, across, down = _measure(jpeg, frame)
    # What iipsrv makes of pixels has no markers.
    if interval != -(-width // across):
        raise NotJoinable("it was not cut from coefficients: no marker ends each row of blocks")
    head = b"".join((jpeg[: frame + 5], bytes(2), jpeg[frame + 7 : at]))
    coded = memoryview(jpeg)[at : -len(END)]
    return Strip(head, frame + 5, width, height, -(-height // down), coded)


def _measure(jpeg: bytes, frame: int) -> tuple[int, int, int, int]:
    """Return height and width of the image, and width and height of its units of blocks."""
    height, width, count = struct.unpack_from(">HHB", jpeg, frame + 5)
    factors = [jpeg[frame + 11 + 3 * number] for number in range(count)]
    # One channel is not interleaved: its unit is a block, whatever its factors say.
    most_across = max(factor >> 4 for factor in factors) if count > 1 else 1
    most_down = max(factor & 15 for factor in factors) if count > 1 else 1
    return height, width, most_across * _BLOCK, most_down * _BLOCK
