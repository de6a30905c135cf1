"""Parts of words in scripts without spaces, where OCR often takes a whole line for a word."""

import math
import unicodedata
from functools import lru_cache

from vitrine.search.content.tokens import split_tokens
from vitrine.text.folding import WITHOUT_SPACES, fold_text, list_signs
from vitrine.text.transcription.page_text import TextBox

_WIDE = ("W", "F")
_SQUARE = (0.7, 1.4)
"""Width of a sign by its height, with the space to the next one."""


@lru_cache(32_768)
def place_tokens(text: str) -> tuple[tuple[int, int], ...]:
    """Return the first character of each token of a word, and the one after its last.

    Tokens of other scripts have all of what is between two signs, with its punctuation.
    """
    tokens = list(split_tokens(text))
    whole = ((0, len(text)),) * len(tokens)
    if len(tokens) < 2 or not WITHOUT_SPACES.search(fold_text(text)):
        return whole
    places: list[tuple[int, int]] = []
    run = end = 0
    for sign in list_signs(text):
        start, end = end, end + len(sign)
        if WITHOUT_SPACES.match(fold_text(sign)):
            places += _place(text, run, start) + _place(text, start, end)
            run = end
    places += _place(text, run, end)
    # Of signs that change when they stand together, nobody knows which is which.
    return tuple(places) if len(places) == len(tokens) else whole


def _place(text: str, start: int, end: int) -> list[tuple[int, int]]:
    return [(start, end)] * sum(1 for _ in split_tokens(text[start:end]))


def cut_box(box: TextBox, text: str, start: int, end: int) -> TextBox:
    """Return the part of a word's box in which some of its characters stand.

    That is known only if all are signs of one width, in a box as long as they are together. It is
    the whole box otherwise. A box that is higher than wide has them from top to bottom.
    """
    long, short = max(box.width, box.height), min(box.width, box.height)
    if any(unicodedata.east_asian_width(sign) not in _WIDE for sign in text):
        return box
    if not _SQUARE[0] <= long / len(text) / short <= _SQUARE[1]:
        return box
    first, last = math.floor(long * start / len(text)), math.ceil(long * end / len(text))
    if box.width >= box.height:
        return TextBox(box.x + first, box.y, last - first, box.height)
    return TextBox(box.x, box.y + first, box.width, last - first)
