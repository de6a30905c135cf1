"""The text of a page, whatever it was read from: lines of words with their boxes on the canvas."""

from dataclasses import dataclass
from typing import Literal

MAX_SIDE = (1 << 31) - 1
"""Pixels of a canvas: text indexes have boxes in 32 bits."""
MAX_DISTORTION = 0.02
"""Distortion of boxes that are scaled to a canvas: on a page of 60 lines, 2 percent are a line."""
Direction = Literal["", "ltr", "rtl", "ttb", "btt"]
"""In which the signs of a line follow each other; empty if nobody said."""


@dataclass(frozen=True, slots=True)
class CanvasSize:
    """Pixels of a canvas."""

    width: int
    height: int

    def has_proportions(self, width: float, height: float) -> bool:
        """Return whether what is so wide and high shows all of the canvas, and no more.

        Sides may be rounded to whole units, and differ by two percent.
        """
        wide, high = width * self.height, height * self.width
        return abs(wide - high) <= MAX_DISTORTION * max(wide, high) + self.width + self.height


@dataclass(frozen=True, slots=True)
class TextBox:
    """Pixels of the canvas: inside it, and never empty."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it is read aloud, which may stand on two lines."""

    text: str
    boxes: tuple[TextBox, ...] = ()
    """One for each part of a hyphenated word; the line's, where only the line has one."""


@dataclass(frozen=True, slots=True)
class Line:
    """Words in the order of the file. A hyphenated word belongs to the line where it begins."""

    words: tuple[Word, ...]
    language: str = ""
    """A tag of BCP 47, or empty."""
    direction: Direction = ""


@dataclass(frozen=True, slots=True)
class PageText:
    """All that was read of a page."""

    lines: tuple[Line, ...]
    outside: int = 0
    """Boxes that lie outside the page or make no sense: their words are found, but not drawn."""
    unplaced: str = ""
    """Why no word has a box, as a sentence, if the file has boxes that are not of this canvas."""
