"""The text of a page as it is kept: gzipped JSON of what was read, and for which canvas.

The file that it was read from is kept by those who publish it (docs/adr/0035).
"""

import gzip
import hashlib
import math

import msgspec

from vitrine.text.transcription.page_text import (
    CanvasSize,
    Direction,
    Line,
    PageText,
    TextBox,
    Word,
)

CONTENT_TYPE = "application/gzip"
_FORM = 2
"""Part of the names: another one lets all files be read again."""
_NAME_DIGITS = 32


class _StoredLine(msgspec.Struct, frozen=True, omit_defaults=True):
    words: tuple[tuple[str, tuple[int, ...]], ...]
    """Each with four numbers for a box: x, y, width, height."""
    language: str = ""
    direction: Direction = ""


class _StoredText(msgspec.Struct, frozen=True, omit_defaults=True):
    width: int
    """Width of the canvas that the boxes are on, in pixels."""
    height: int
    lines: tuple[_StoredLine, ...]


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(_StoredText)


def text_name(file_digest: str, page: int, canvas: CanvasSize) -> str:
    """Return the name of the text that a page of a file, from 0, has on a canvas: 32 hex digits.

    The same name is the same text: what was stored before need not be read again.
    """
    parts = f"{_FORM}\0{file_digest}\0{page}\0{canvas.width}x{canvas.height}"
    return hashlib.sha256(parts.encode()).hexdigest()[:_NAME_DIGITS]


def encode_text(page: PageText, canvas: CanvasSize) -> bytes:
    """Return the text of a page as it is stored; the same text has the same bytes."""
    lines = tuple(
        _StoredLine(tuple(map(_flatten, line.words)), line.language, line.direction)
        for line in page.lines
    )
    stored = _StoredText(canvas.width, canvas.height, lines)
    return gzip.compress(_encoder.encode(stored), compresslevel=6, mtime=0)


def decode_text(body: bytes, canvas: CanvasSize) -> PageText:
    """Return the text of a page for a canvas, whichever one it was read for.

    On one of other proportions no word has a box. Raises msgspec.DecodeError and OSError for bytes
    of another form.
    """
    stored: _StoredText = _decoder.decode(gzip.decompress(body))
    across, down = canvas.width / stored.width, canvas.height / stored.height
    is_placed = canvas.has_proportions(stored.width, stored.height)
    lines = tuple(
        Line(
            tuple(
                _unflatten(text, sides if is_placed else (), across, down, canvas)
                for text, sides in line.words
            ),
            line.language,
            line.direction,
        )
        for line in stored.lines
    )
    return PageText(lines)


def _flatten(word: Word) -> tuple[str, tuple[int, ...]]:
    boxes = ((box.x, box.y, box.width, box.height) for box in word.boxes)
    return word.text, tuple(side for box in boxes for side in box)


def _unflatten(
    text: str, sides: tuple[int, ...], across: float, down: float, canvas: CanvasSize
) -> Word:
    boxes = []
    for start in range(0, len(sides), 4):
        x, y, width, height = sides[start : start + 4]
        boxes.append(TextBox(*scale_box((x, y, width, height), across, down, canvas)))
    return Word(text, tuple(boxes))


def scale_box(
    box: tuple[int, int, int, int], across: float, down: float, canvas: CanvasSize
) -> tuple[int, int, int, int]:
    """Return a box of another canvas, x, y, width and height, on this one."""
    x, y, width, height = box
    left, columns = _scale(x, width, across, canvas.width)
    top, rows = _scale(y, height, down, canvas.height)
    return left, top, columns, rows


def _scale(start: int, length: int, scale: float, most: int) -> tuple[int, int]:
    first = min(math.floor(start * scale), most - 1)
    last = min(max(math.ceil((start + length) * scale), first + 1), most)
    return first, last - first
