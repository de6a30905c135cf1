"""Answers to queries: what matches where, with its boxes and the words around it."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

from vitrine.search.content.characters import cut_box, place_tokens
from vitrine.search.content.form import RemarkEntry
from vitrine.search.content.motivations import RequestedMotivations
from vitrine.search.content.packed_pages import PackedPage
from vitrine.search.content.query import Phrase
from vitrine.search.content.text_index import Span, TextIndex, match_phrase
from vitrine.search.content.tokens import list_tokens
from vitrine.text.folding import UNSPACED_EAST
from vitrine.text.transcription.page_text import TextBox

PAGE_OF_MATCHES = 50
"""Matches that one answer has."""
CONTEXT_WORDS = 8
"""Before a match, and after it."""
CONTEXT_CHARACTERS = 200
_EAST = re.compile(f"[{UNSPACED_EAST}]")


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
    boxes: tuple[TextBox, ...]
    """One for each line; none if nobody knows where it is on the page."""
    remark: "FoundRemark | None" = None
    """The annotation that it is in; None if it is in the text of the page."""


@dataclass(frozen=True, slots=True)
class FoundRemark:
    """An annotation that is not text of a page, with a match; that has its boxes."""

    name: str
    """On its canvas."""
    motivations: tuple[str, ...]
    text: str
    """All that it says."""


@dataclass(frozen=True, slots=True)
class Matches:
    """Some of the matches of a query."""

    total: int
    """All of the matches."""
    first: int
    """Place of the first of these, from 0."""
    items: tuple[Match, ...]


def find_matches(
    index: TextIndex,
    phrases: Sequence[Phrase],
    number: int,
    requested: RequestedMotivations | None = None,
) -> Matches:
    """Return a page, from 1, of the matches on pages that have all phrases, in order.

    An annotation that is not text of a page has to have all of them itself. Raises InvalidRequest
    if a beginning is that of too many words.
    """
    first = (number - 1) * PAGE_OF_MATCHES
    spans = _by_canvas(index, find_spans(index, phrases, requested))
    shown = spans[first : first + PAGE_OF_MATCHES]
    numbers = index.pages_of([start for start, _ in shown])
    pages = index.pages(numbers) if shown else {}
    laid = {page: _LaidPage(pages[page], index.starts[page]) for page in set(numbers)}
    items = tuple(
        laid[page].match(page, span, index.remark(page))
        for page, span in zip(numbers, shown, strict=True)
    )
    return Matches(len(spans), first, items)


def _by_canvas(index: TextIndex, spans: list[Span]) -> list[Span]:
    """Return spans in the order of their canvases, of each its text first."""
    if not spans or spans[-1][0] < index.text_end:
        return spans
    pages = index.pages_of([start for start, _ in spans])
    entries = [index.remark(page) for page in pages]
    canvases = [entry.canvas if entry else page for entry, page in zip(entries, pages, strict=True)]
    return [span for _, span in sorted(zip(canvases, spans, strict=True))]


def find_spans(
    index: TextIndex, phrases: Sequence[Phrase], requested: RequestedMotivations | None = None
) -> list[Span]:
    """Return first position and length of each match that is requested, in order."""
    if not phrases:
        return []
    selection = index.select(requested)
    if selection.is_empty:
        return []
    found = [index.keep(spans, selection) for spans in index.find(phrases).values()]
    if len(found) == 1:
        return found[0]
    begins = ([begin for begin, _ in spans] for spans in found)
    common = set.intersection(*map(index.pages_with, begins))
    kept: set[Span] = set()
    for spans in found:
        for page in common:
            first = bisect_left(spans, (index.starts[page],))
            last = bisect_left(spans, (index.starts[page + 1],))
            kept.update(spans[first:last])
    return sorted(kept)


def match_page(index: TextIndex, number: int, phrases: Sequence[Phrase]) -> tuple[Match, ...]:
    """Return the first match of each phrase on a page, from 0, in order."""
    page, start = index.pages([number])[number], index.starts[number]
    tokens = list(enumerate(list_tokens(page.lines), start=start))
    wholes = {position for position, token in tokens if token.is_whole}
    found = {
        term: [position for position, token in tokens if term.fits(token.text)]
        for phrase in phrases
        for term in phrase
    }
    matches = (match_phrase(phrase, found, wholes)[:1] for phrase in phrases)
    laid = _LaidPage(page, start)
    return tuple(laid.match(number, span) for span in sorted({*chain(*matches)}))


class _LaidPage:
    """A page whose words know their positions and lines."""

    def __init__(self, page: PackedPage, start: int) -> None:
        self._page, self._start = page, start
        self._texts = [text for line in page.lines for text in line]
        self._lines = [number for number, line in enumerate(page.lines) for _ in line]
        self._tokens = list(list_tokens(page.lines))
        self._places = [
            (word, *sides) for word, text in enumerate(self._texts) for sides in place_tokens(text)
        ]
        """Word, first character and the one after the last one of each token that is no whole."""
        self._before: list[int] = [0, *accumulate(token.is_whole for token in self._tokens)]
        """Wholes before each position."""

    def _place(self, position: int, *, is_end: bool) -> tuple[int, int, int]:
        """Return word and characters of a position; of a divided word its first or second part."""
        place = position - self._start
        part = place - self._before[place]
        return self._places[part + (is_end and self._tokens[place].is_whole)]

    def match(self, page: int, span: Span, remark: RemarkEntry | None = None) -> Match:
        first, start, _ = self._place(span[0], is_end=False)
        last, _, stop = self._place(span[0] + span[1] - 1, is_end=True)
        words = self._texts
        head, tail = words[first][:start], words[last][stop:]
        text = join_words([*words[first:last], words[last][:stop]])[start:]
        before = join_words(words[max(first - CONTEXT_WORDS, 0) : first])
        before += _space(before, head or text) + head
        after = join_words(words[last + 1 : last + 1 + CONTEXT_WORDS])
        after = tail + _space(tail or text, after) + after
        return Match(
            name=f"{span[0]}-{span[1]}",
            page=remark.canvas if remark else page,
            text=text,
            before=before[-CONTEXT_CHARACTERS:],
            after=after[:CONTEXT_CHARACTERS],
            boxes=self._page.boxes(0) if remark else self._boxes(first, last, start, stop),
            remark=self._describe(remark) if remark else None,
        )

    def _describe(self, remark: RemarkEntry) -> FoundRemark:
        text = "\n".join(join_words(line) for line in self._page.lines)
        return FoundRemark(remark.name, remark.motivations, text)

    def _boxes(self, first: int, last: int, start: int, stop: int) -> tuple[TextBox, ...]:
        """Return the boxes of some words, joined where a line has several.

        Of the first word only what begins at a character counts, of the last one what ends before.
        """
        lines: dict[int, TextBox] = {}
        others: dict[TextBox, None] = {}
        for place in range(first, last + 1):
            begin, *rest = self._page.boxes(place) or (None,)
            line, text = self._lines[place], self._texts[place]
            ends = start if place == first else 0, stop if place == last else len(text)
            if begin and not rest and ends != (0, len(text)) and not self._is_shared(place, begin):
                begin = cut_box(begin, text, *ends)
            if begin:
                lines[line] = _join_boxes(lines[line], begin) if line in lines else begin
            # Of a hyphenated word the other part stands on another line.
            others.update((box, None) for box in rest if box)
        return tuple(dict.fromkeys([*lines.values(), *others]))

    def _is_shared(self, place: int, box: TextBox) -> bool:
        """Return whether a word has the box of its line, and so has one next to it."""
        near = [one for one in (place - 1, place + 1) if 0 <= one < len(self._texts)]
        return any(box in self._page.boxes(one) for one in near)


def join_words(words: Sequence[str]) -> str:
    """Return words as a text; Han, Hiragana and Katakana have no space between them."""
    text = ""
    for word in words:
        text += _space(text, word) + word
    return text


def _space(before: str, after: str) -> str:
    if not before or not after:
        return ""
    return "" if _EAST.match(before[-1]) and _EAST.match(after[0]) else " "


def _join_boxes(one: TextBox, other: TextBox) -> TextBox:
    x, y = min(one.x, other.x), min(one.y, other.y)
    right = max(one.x + one.width, other.x + other.width)
    bottom = max(one.y + one.height, other.y + other.height)
    return TextBox(x, y, right - x, bottom - y)
