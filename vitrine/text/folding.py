"""Texts as both searches compare them: in lower case, without diacritics.

Without what makes stems, so that what answers searches starts fast.
"""

import re
import unicodedata
from collections.abc import Iterator

MAX_WORD_LENGTH = 40
"""Letters of a word that count."""
_LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l"}
    | {"\u0131": "i", "ħ": "h", "\u03c2": "\u03c3"}
)
"""Replacements of letters that Unicode does not decompose."""
_FOLDED = re.compile(
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a"
    "\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711"
    "\u0730-\u074a\u08ca-\u08e1\u08e3-\u08ff\u1ab0-\u1aff\u1dc0-\u1dff\u200d\u20d0-\u20f0"
    "\u2de0-\u2dff\ua66f-\ua67d\ua69e\ua69f\ufb1e\ufe00-\ufe0f\ufe20-\ufe2f\U000e0100-\U000e01ef]+"
)
"""Diacritics of Latin, Greek and Cyrillic, points of Hebrew, Arabic and Syriac, what stretches an
Arabic word or joins two signs, and selectors of glyphs. Marks of any other script are parts of its
letters: vowels of Indic scripts, tones of Thai, or what makes a ga of a ka."""
_WORD = re.compile(r"[^\W_]+")
UNSPACED_EAST = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Hiragana, Katakana and Han, as ranges: signs as wide as they are high."""
WITHOUT_SPACES = re.compile(f"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff{UNSPACED_EAST}]+")
"""Scripts without spaces between words: also Thai, Lao, Burmese and Khmer."""


class _Separators(dict[int, str | int]):
    """A table that writes spaces between words; it learns each sign when that first comes."""

    def __missing__(self, sign: int) -> str | int:
        is_word = unicodedata.category(chr(sign))[0] in "LNM"
        self[sign] = kept = sign if is_word else " "
        return kept


_SEPARATORS = _Separators()


def fold_text(text: str) -> str:
    """Return a text in lower case and without diacritics."""
    if text.isascii():
        return text.lower()
    bare = _FOLDED.sub("", unicodedata.normalize("NFKD", text.lower()))
    return unicodedata.normalize("NFC", bare.lower().translate(_LETTERS))


def list_words(folded: str) -> list[str]:
    """Return the words of a folded text: runs of letters, digits, and marks of letters."""
    if folded.isascii():
        return _WORD.findall(folded)
    return folded.translate(_SEPARATORS).split()


def split_runs(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a text's words, folded, and whether each is of a script without spaces."""
    for word in list_words(fold_text(text)):
        start = 0
        for run in () if word.isascii() else WITHOUT_SPACES.finditer(word):
            if run.start() > start:
                yield word[start : run.start()], False
            yield run[0], True
            start = run.end()
        if start < len(word):
            yield word[start:], False


def list_signs(text: str) -> list[str]:
    """Return the signs of a text, each with the marks that belong to it."""
    signs: list[str] = []
    for sign in text:
        if signs and unicodedata.category(sign)[0] == "M":
            signs[-1] += sign
        else:
            signs.append(sign)
    return signs


def split_words(text: str) -> Iterator[str]:
    """Yield the folded words of a text, in order; of scripts without spaces, pairs of signs."""
    for run, is_unspaced in split_runs(text):
        if not is_unspaced:
            yield run[:MAX_WORD_LENGTH]
            continue
        signs = list_signs(run)
        # The last one is alone, so that each is the beginning of something.
        yield from ("".join(signs[place : place + 2]) for place in range(len(signs)))
