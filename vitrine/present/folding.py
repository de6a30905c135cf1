"""Texts as both searches compare them: in lower case, without diacritics.

Without what makes stems, so that what answers searches starts fast.
"""

import re
import unicodedata

LONGEST = 40
"""Letters of a word that count."""
_LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l"}
    | {"\u0131": "i", "ħ": "h", "\u03c2": "\u03c3"}
)
"""Of letters that Unicode does not decompose."""
WORD = re.compile(r"[^\W_]+")
WITHOUT_SPACES = re.compile(
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
"""Han, Hiragana and Katakana, which are written without spaces between words."""


class _Marks(dict[int, int | None]):
    """A table that removes combining marks; it learns each sign when that first comes."""

    def __missing__(self, sign: int) -> int | None:
        is_mark = unicodedata.category(chr(sign)).startswith("M")
        self[sign] = kept = None if is_mark else sign
        return kept


_MARKS = _Marks()


def fold_text(text: str) -> str:
    """Return a text in lower case and without diacritics."""
    if text.isascii():
        return text.lower()
    bare = unicodedata.normalize("NFKD", text.lower()).translate(_MARKS)
    return bare.lower().translate(_LETTERS)
