"""Answers to queries: what matches where, with its boxes and the words around it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from vitrine.present.folding import WITHOUT_SPACES
from vitrine.present.inside.query import Phrase
from vitrine.present.inside.text_index import TextIndex
from vitrine.present.inside.tokens import split_tokens
from vitrine.present.text.page_text import Box, PageText, Word

PAGE_OF_MATCHES = 50
"""Matches that one answer has."""
CONTEXT_WORDS = 8
"""Before a match, and after it."""
CONTEXT_CHARACTERS = 200
_count_tokens = lru_cache(32_768)(lambda text: sum(1 for _ in split_tokens(text)))


@dataclass(frozen=True, slots=True)
class Match:
    """A word or phrase on a page."""

    name: str
    """Distinguishes it from all others of its object."""
    page: int
    """From 0."""
    text: str
    """As the page has it."""
    before: str
    """The words before it, with the space between."""
    after: str
    boxes: tuple[Box, ...]
    """One for each line; none if nobody knows where it is on the page."""


@dataclass(frozen=True, slots=True)
class Matches:
    """Some of the matches of a query."""

    total: int
    """All of the matches."""
    first: int
    """Place of the first of these, from 0."""
    items: tuple[Match, ...]


def find_matches(index: TextIndex, phrases: Sequence[Phrase], number: int) -> Matches:
    """Return a page, from 1, of the matches on pages that have all phrases, in order.

    Raises InvalidRequest if a beginning is that of too many words.
    """
    first = (number - 1) * PAGE_OF_MATCHES
    spans = find_spans(index, phrases)
    shown = spans[first : first + PAGE_OF_MATCHES]
    numbers = index.pages_of([start for start, _ in shown])
    pages = index.pages(numbers) if shown else {}
    laid = {page: _LaidPage(pages[page], index.starts[page]) for page in set(numbers)}
    items = tuple(laid[page].match(page, span) for page, span in zip(numbers, shown, strict=True))
    return Matches(len(spans), first, items)


def find_spans(index: TextIndex, phrases: Sequence[Phrase]) -> list[tuple[int, int]]:
    """Return first position and length of each match, in order."""
    if not phrases:
        return []
    found = index.find(phrases)
    if len(phrases) == 1:
        (phrase,) = phrases
        return [(begin, len(phrase)) for begin in found[phrase]]
    pages = {phrase: index.pages_of(begins) for phrase, begins in found.items()}
    common = set.intersection(*map(set, pages.values()))
    spans = {
        (begin, len(phrase))
        for phrase, begins in found.items()
        for begin, page in zip(begins, pages[phrase], strict=True)
        if page in common
    }
    return sorted(spans)


class _LaidPage:
    """A page whose words know their positions and lines."""

    def __init__(self, page: PageText, start: int) -> None:
        self._start = start
        self._words: list[Word] = []
        self._lines: list[int] = []
        self._places: list[int] = []
        """Of the word of each position."""
        for number, line in enumerate(page.lines):
            for word in line.words:
                self._places += [len(self._words)] * _count_tokens(word.text)
                self._words.append(word)
                self._lines.append(number)

    def match(self, page: int, span: tuple[int, int]) -> Match:
        begin, length = span[0] - self._start, span[1]
        first, last = self._places[begin], self._places[begin + length - 1]
        words = [word.text for word in self._words]
        text = join_words(words[first : last + 1])
        before = join_words(words[max(first - CONTEXT_WORDS, 0) : first])
        after = join_words(words[last + 1 : last + 1 + CONTEXT_WORDS])
        return Match(
            name=f"{span[0]}-{length}",
            page=page,
            text=text,
            before=f"{before[-CONTEXT_CHARACTERS:]}{_space(before, text)}",
            after=f"{_space(text, after)}{after[:CONTEXT_CHARACTERS]}",
            boxes=self._boxes(first, last),
        )

    def _boxes(self, first: int, last: int) -> tuple[Box, ...]:
        """Return the boxes of some words, joined where a line has several."""
        lines: dict[int, Box] = {}
        others: dict[Box, None] = {}
        for place in range(first, last + 1):
            begin, *rest = self._words[place].boxes or (None,)
            line = self._lines[place]
            if begin:
                lines[line] = _join_boxes(lines[line], begin) if line in lines else begin
            # Of a hyphenated word the other part stands on another line.
            others.update((box, None) for box in rest if box)
        return tuple(dict.fromkeys([*lines.values(), *others]))


def join_words(words: Sequence[str]) -> str:
    """Return words as a text; signs of scripts without spaces have none between them."""
    text = ""
    for word in words:
        text += _space(text, word) + word
    return text


def _space(before: str, after: str) -> str:
    if not before or not after:
        return ""
    both = WITHOUT_SPACES.match(before[-1]) and WITHOUT_SPACES.match(after[0])
    return "" if both else " "


def _join_boxes(one: Box, other: Box) -> Box:
    x, y = min(one.x, other.x), min(one.y, other.y)
    right = max(one.x + one.width, other.x + other.width)
    bottom = max(one.y + one.height, other.y + other.height)
    return Box(x, y, right - x, bottom - y)
