"""The way from words of a file to the text of a page, the same for every format.

Here are the limits, the scale from the file's units to the canvas, and the joining of hyphenated
words.
"""

import math
import re
from collections.abc import Iterator

from vitrine.errors import TextRefused
from vitrine.text.transcription.page_text import (
    CanvasSize,
    Direction,
    Line,
    PageText,
    TextBox,
    Word,
)

MAX_WORDS = 100_000
"""Words of a page; a broadsheet newspaper has some 20,000."""
MAX_WORD_LENGTH = 1_000
"""Characters, joined ones too."""
SOFT_HYPHEN = "\u00ad"
_HYPHENS = (SOFT_HYPHEN, "\u00ac", "\u2e17")
"""Signs that transcribers write where a line breaks a word, and nowhere else: also `¬` and `⸗`. A
plain `-` is not among them, since it may belong to the word."""
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff]"
)
"""Thai, Lao, Burmese, Khmer, Hiragana, Katakana and Han: no spaces between words."""
_AFTER_SENTENCE = re.compile("(?<=[\u3001\u3002\uff01\uff0c\uff0e\uff1a\uff1b\uff1f])")
_MAX_RUN_LENGTH = 100
"""Signs that stay together of a paragraph without spaces."""
_NUMBER_LENGTH = 32
_MAX_NUMBER = 1e9
Rectangle = tuple[float, float, float, float]
"""Left, top, width and height, in the units of the file."""


def read_number(text: str | None) -> float | None:
    """Return a number of a file, or None for what is no sensible one."""
    if not text or len(text) > _NUMBER_LENGTH:
        return None
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and abs(number) <= _MAX_NUMBER else None


class PageBuilder:
    """Lines and words of one page, as they are found."""

    def __init__(self, canvas: CanvasSize) -> None:
        self._canvas = canvas
        self._origin = (0.0, 0.0)
        self._scale = (1.0, 1.0)
        self._unplaced = ""
        """Why boxes are left out, as a sentence."""
        self._words: list[list[Word]] = []
        self._properties: list[tuple[str, Direction]] = []
        self._line_box: Rectangle | None = None
        self._unfinished: list[Word] | None = None
        """The line whose last word goes on in the next line."""
        self._is_whole = False
        """True if that word is known as a whole already."""
        self._count = 0
        self._boxes = 0
        self._outside = 0

    def set_page(self, width: float, height: float, left: float = 0, top: float = 0) -> None:
        """Scale all boxes that follow from a page of this size to the canvas.

        The unit (pixels of another scan, tenths of a millimetre) does not matter. Of a page of
        other proportions, such as that of a scan before it was turned, no box is kept. Raises
        TextRefused.
        """
        if width < 1 or height < 1:
            raise TextRefused("page-size", f"its page is {width:g} by {height:g} large")
        if self._canvas.has_proportions(width, height):
            self._unplaced = ""
            self._origin = (left, top)
            self._scale = (self._canvas.width / width, self._canvas.height / height)
        else:
            self.leave_out_boxes(
                f"its page is {width:g} x {height:g} large, and the image "
                f"{self._canvas.width} x {self._canvas.height}: it was turned or cropped"
            )

    def set_printed_area(self, width: float, height: float) -> None:
        """Take the printed area of a page of unknown size, from its corner, for all of the page.

        If it may be a part of the canvas, in pixels of that, the size stays unknown.
        """
        is_larger = width > self._canvas.width or height > self._canvas.height
        if is_larger or self._canvas.has_proportions(width, height):
            self.set_page(width, height)

    def leave_out_boxes(self, reason: str) -> None:
        """Keep no box of the page, for a reason that the note on the text says."""
        self._unplaced = reason

    def begin_line(
        self, box: Rectangle | None, language: str = "", direction: Direction = ""
    ) -> None:
        """Begin a line; words without boxes of their own have its box."""
        if self._words and not self._words[-1]:
            self._words.pop()
            self._properties.pop()
        self._words.append([])
        self._properties.append((language, direction))
        self._line_box = box

    def add_text(self, text: str, box: Rectangle | None = None) -> None:
        """Add words with spaces between them. Raises TextRefused."""
        boxes = self._place_box(box or self._line_box)
        for piece in text.split():
            for part in _divide(piece):
                self._add(part, boxes)

    def add_part(self, part: str, whole: str, box: Rectangle | None, *, first: bool) -> None:
        """Add the first or second part of a divided word, whose whole may be known, or empty.

        A part whose other part is on another page is the whole word. Raises TextRefused.
        """
        boxes = self._place_box(box or self._line_box)
        start, self._unfinished = self._unfinished, None
        if first:
            self._append(Word(whole or _strip_hyphen(part), boxes))
            self._unfinished, self._is_whole = self._words[-1], bool(whole)
        elif start is not None and not (whole and self._is_whole and start[-1].text != whole):
            known = start[-1].text
            self._go_on(start, whole or (known if self._is_whole else known + part), boxes)
        else:
            self._append(Word(whole or part, boxes))

    def add_hyphen(self) -> None:
        """Mark the last word as one that goes on in the next line."""
        if self._words and self._words[-1] and self._unfinished is not self._words[-1]:
            self._unfinished, self._is_whole = self._words[-1], False

    def finish(self) -> PageText:
        """Return what was added. Raises TextRefused if most boxes are outside the page."""
        if self._outside * 2 > self._boxes:
            raise TextRefused(
                "outside",
                f"{self._outside:,} of its {self._boxes:,} boxes are outside the page: it is "
                "probably the text of another page, or of one of another size",
            )
        both = zip(self._words, self._properties, strict=True)
        lines = tuple(Line(tuple(words), *properties) for words, properties in both if words)
        return PageText(lines, self._outside, self._unplaced if self._boxes else "")

    def _add(self, piece: str, boxes: tuple[TextBox, ...]) -> None:
        ends = len(piece) > 1 and piece.endswith(_HYPHENS)
        text = (piece[:-1] if ends else piece).replace(SOFT_HYPHEN, "")
        if not text:
            return
        start, self._unfinished = self._unfinished, None
        is_next = start is not None and start is not self._words[-1]
        if start is not None and is_next and not self._is_whole:
            self._go_on(start, start[-1].text + text, boxes)
        elif start is not None and is_next and start[-1].text.endswith(text):
            self._go_on(start, start[-1].text, boxes)
        else:
            self._append(Word(text, boxes))
            start = self._words[-1]
        if ends:
            self._unfinished, self._is_whole = start, False

    def _go_on(self, start: list[Word], whole: str, boxes: tuple[TextBox, ...]) -> None:
        """Let the last word of an earlier line be this one, which stands in these boxes as well."""
        word = Word(whole, start[-1].boxes + boxes)
        self._check_length(word)
        start[-1] = word

    def _append(self, word: Word) -> None:
        self._check_length(word)
        self._count += 1
        if self._count > MAX_WORDS:
            raise TextRefused("words", f"it has more than {MAX_WORDS:,} words")
        if not self._words:
            self.begin_line(None)
        self._words[-1].append(word)

    def _check_length(self, word: Word) -> None:
        if len(word.text) > MAX_WORD_LENGTH:
            raise TextRefused("word", f"it has a word of more than {MAX_WORD_LENGTH:,} characters")

    def _place_box(self, box: Rectangle | None) -> tuple[TextBox, ...]:
        """Return the part of a rectangle that is on the canvas, in its pixels."""
        if box is None:
            return ()
        self._boxes += 1
        if self._unplaced:
            return ()
        left, top, width, height = box
        across = clip(left - self._origin[0], width, self._scale[0], self._canvas.width)
        down = clip(top - self._origin[1], height, self._scale[1], self._canvas.height)
        if across is None or down is None:
            self._outside += 1
            return ()
        return (TextBox(across[0], down[0], across[1], down[1]),)


def _strip_hyphen(part: str) -> str:
    """Return the first part of a divided word without the hyphen at its end."""
    return part[:-1] if len(part) > 1 and part.endswith(("-", *_HYPHENS)) else part


def _divide(piece: str) -> Iterator[str]:
    """Yield what is between two spaces: as it is, or in parts if its script writes none."""
    if len(piece) <= MAX_WORD_LENGTH or not _UNSPACED.search(piece):
        yield piece
        return
    for sentence in _AFTER_SENTENCE.split(piece):
        for start in range(0, len(sentence), _MAX_RUN_LENGTH):
            yield sentence[start : start + _MAX_RUN_LENGTH]


def clip(start: float, length: float, scale: float, most: int) -> tuple[int, int] | None:
    """Return the first pixel and the number of pixels of what is inside; None if nothing is."""
    if length < 0:
        return None
    first = math.floor(start * scale)
    # Some engines write 0 for what is narrower than their unit.
    last = max(math.ceil((start + length) * scale), first + 1)
    first, last = max(first, 0), min(last, most)
    return (first, last - first) if first < last else None
