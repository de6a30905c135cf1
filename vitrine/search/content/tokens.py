"""What of a text can be found: its folded words, each at a position.

Of scripts without spaces every sign is a word of its own, so that it does not matter how OCR cut
them: a query of several signs is a phrase.

Nobody knows whether a hyphen at the end of a line belongs to its word. So a word that one divides
can be found as a whole, and as its parts.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from vitrine.text.folding import MAX_WORD_LENGTH, list_signs, split_runs

HYPHENS = ("-", "\u2010", "=")
"""Signs that divide words at the ends of lines, the last one in Fraktur, and are not removed there:
other hyphens are, when a text is read."""


class Token(NamedTuple):
    """What stands at one position."""

    text: str
    word: int
    """Place on the page of the word that it belongs to."""
    is_whole: bool = False
    """True for a divided word; its two parts have the next two positions."""


def list_tokens(lines: Iterable[Sequence[str]]) -> Iterator[Token]:
    """Yield what can be found of the lines of a page, in order of its positions."""
    first = 0
    is_divided = False
    for line, following in pairwise([*filter(None, lines), ()]):
        # Of a word on three lines, the first two parts are joined.
        is_part = is_divided and len(line) == 1
        whole = _join_parts(line[-1], following[0]) if following and not is_part else ""
        last = first + len(line) - 1
        for place, text in enumerate(line, start=first):
            tokens = split_word(text)
            if whole and place == last:
                yield from (Token(token, place) for token in tokens[:-1])
                yield Token(whole, place, is_whole=True)
                tokens = tokens[-1:]
            yield from (Token(token, place) for token in tokens)
        first, is_divided = last + 1, bool(whole)


def _join_parts(first: str, second: str) -> str:
    """Return the word that a hyphen between two lines divides, folded; empty if none does."""
    if not first.endswith(HYPHENS):
        return ""
    starts, ends = split_word(first), split_word(second)
    if not starts or not ends or starts[-1][-1].isdigit() or ends[0][0].isdigit():
        return ""
    joined = split_word(first[:-1] + second)
    return joined[len(starts) - 1] if len(joined) == len(starts) + len(ends) - 1 else ""


def split_tokens(text: str) -> Iterator[str]:
    """Yield the folded words of a text, in order."""
    for run, is_unspaced in split_runs(text):
        if is_unspaced:
            yield from (sign[:MAX_WORD_LENGTH] for sign in list_signs(run))
        else:
            yield run[:MAX_WORD_LENGTH]


@lru_cache(65_536)
def split_word(text: str) -> tuple[str, ...]:
    """Return the folded words of what stands between two spaces."""
    return tuple(split_tokens(text))
