"""A text index as it is read: the head once, then the blocks that a query needs."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from zlib import crc32

import brotli
import msgspec

from vitrine.errors import InvalidRequest
from vitrine.search.content.form import (
    MAGIC,
    PREFIX,
    PageBlock,
    RemarkEntry,
    TermBlock,
    TextIndexHead,
    unpack_terms,
)
from vitrine.search.content.motivations import RequestedMotivations
from vitrine.search.content.packed_pages import PackedPage, PackedPages
from vitrine.search.content.packing import count_positions, unpack_positions
from vitrine.search.content.query import Phrase, Term
from vitrine.search.content.ranged_blocks import RangedBlocks, ReadRange, UnusableIndex

FIRST_BYTES = 32 << 10
"""Bytes of the first read: the head, of a short object all of it."""
MAX_TERM_BYTES = 4 << 20
"""Bytes of the blocks that the beginnings of one query may need."""
MAX_POSITION_BYTES = 512 << 10
"""Bytes of the positions of all words of one query: each takes a byte or more."""
_LAST = "\U0010ffff"
Span = tuple[int, int]
"""First position and length of a match."""


@dataclass(frozen=True, slots=True)
class _Terms:
    """A block of words in order, and where in it the positions of each end."""

    words: list[str]
    ends: list[int]
    positions: bytes

    def having(self, term: Term) -> Iterator[tuple[str, bytes]]:
        """Yield the words that are meant, each with its packed positions."""
        first = bisect_left(self.words, term.text)
        last = bisect_right(self.words, term.text + _LAST if term.is_beginning else term.text)
        for place in range(first, last):
            start = self.ends[place - 1] if place else 0
            yield self.words[place], self.positions[start : self.ends[place]]


@dataclass(frozen=True, slots=True)
class Selection:
    """Which positions of an index a query is about."""

    has_text: bool
    """True if those of the texts of pages are."""
    remarks: frozenset[int] | None
    """Places of the other annotations that are; None if all are, and all texts."""

    @property
    def is_empty(self) -> bool:
        """True if nothing can be found."""
        return not self.has_text and not self.remarks


class TextIndex:
    """The words, positions and pages of one object. What was read is kept."""

    def __init__(self, read: ReadRange) -> None:
        """Read the head. Raises UnusableIndex, and what reading raises."""
        first = read(0, FIRST_BYTES)
        if len(first) < PREFIX.size or first[:4] != MAGIC:
            raise UnusableIndex("it does not begin as a text index does")
        _, size, checksum = PREFIX.unpack_from(first)
        end = PREFIX.size + size
        if len(first) < end:
            first += read(len(first), end - len(first))
        head = first[PREFIX.size : end]
        if len(head) < size or crc32(head) != checksum:
            raise UnusableIndex("its head is cut or has another checksum")
        self._head = msgspec.msgpack.decode(brotli.decompress(head), type=TextIndexHead)
        self.starts = unpack_positions(self._head.starts)
        self._wholes = frozenset(unpack_positions(self._head.wholes))
        self._firsts = [block.first for block in self._head.terms]
        blocks: list[TermBlock | PageBlock] = [*self._head.terms, *self._head.pages]
        sizes, checksums = [one.size for one in blocks], [one.checksum for one in blocks]
        self._blocks = RangedBlocks(read, end, sizes, checksums, first)

    @property
    def kept_bytes(self) -> int:
        """Bytes of what was read."""
        return self._blocks.kept_bytes

    @property
    def page_count(self) -> int:
        """Canvases of the object, with and without words."""
        return len(self.starts) - 1 - len(self._head.remarks)

    @property
    def text_end(self) -> int:
        """The first position behind the texts of all canvases."""
        return self.starts[self.page_count]

    def remark(self, page: int) -> RemarkEntry | None:
        """Return what annotation has a page to itself; None for the page of a canvas."""
        return self._head.remarks[page - self.page_count] if page >= self.page_count else None

    def select(self, requested: RequestedMotivations | None) -> "Selection":
        """Return which positions are requested, for all words of a query."""
        if requested is None:
            return Selection(has_text=True, remarks=None)
        remarks = self._head.remarks
        accepted = requested.accept([one.motivations for one in remarks])
        is_all = len(accepted) == len(remarks)
        if is_all and requested.has_text:
            return Selection(has_text=True, remarks=None)
        return Selection(has_text=requested.has_text, remarks=accepted)

    def keep(self, spans: list[Span], selection: "Selection") -> list[Span]:
        """Return those of some matches, in order, that are selected."""
        if selection.remarks is None:
            return spans
        end = bisect_left(spans, (self.text_end,))
        kept = spans[:end] if selection.has_text else []
        if not selection.remarks:
            return kept
        others = spans[end:]
        places = (page - self.page_count for page in self.pages_of(begin for begin, _ in others))
        both = zip(others, places, strict=True)
        return kept + [span for span, place in both if place in selection.remarks]

    def words(self, first_page: int = 0) -> Iterator[tuple[str, list[int]]]:
        """Yield the words of all texts in order, each with its pages, counted from `first_page`.

        Those of other annotations are not among them. Raises UnusableIndex, and what reading
        raises.
        """
        page_of, end = array("I"), self.text_end
        texts = self.starts[: self.page_count + 1]
        for page, (first, last) in enumerate(pairwise(texts), start=first_page):
            page_of.extend([page] * (last - first))
        for block in self._open(range(len(self._firsts))).values():
            for word, packed in block.having(Term("", is_beginning=True)):
                positions = unpack_positions(packed)
                if positions[-1] >= end:
                    positions = positions[: bisect_left(positions, end)]
                if positions:
                    yield word, list(dict.fromkeys(map(page_of.__getitem__, positions)))

    def forget(self) -> None:
        """Drop the blocks that were read."""
        self._blocks.forget()

    def check(self) -> None:
        """Read all of it. Raises UnusableIndex, and what reading raises."""
        self._blocks.read(range(len(self._head.terms) + len(self._head.pages)))

    def pages_of(self, positions: Iterable[int]) -> list[int]:
        """Return the page of each position, from 0."""
        starts = self.starts
        return [bisect_right(starts, position) - 1 for position in positions]

    def pages_with(self, positions: Sequence[int]) -> set[int]:
        """Return the pages, from 0, that have any of the positions, which rise."""
        pages, place = set(), 0
        while place < len(positions):
            page = bisect_right(self.starts, positions[place]) - 1
            pages.add(page)
            place = bisect_left(positions, self.starts[page + 1], place)
        return pages

    def find(self, phrases: Sequence[Phrase]) -> dict[Phrase, list[Span]]:
        """Return the matches of each phrase, in order.

        Raises InvalidRequest if too many words have a beginning, or occur too often.
        """
        terms = {term for phrase in phrases for term in phrase}
        numbers = {term: self._blocks_of(term) for term in terms}
        blocks = self._open_blocks({number for found in numbers.values() for number in found})
        packed = {
            term: [one for number in numbers[term] for _, one in blocks[number].having(term)]
            for term in terms
        }
        if sum(len(one) for several in packed.values() for one in several) > MAX_POSITION_BYTES:
            raise InvalidRequest("these words occur too often: give more letters, or fewer words")
        found = {term: _unpack(several) for term, several in packed.items()}
        return {phrase: match_phrase(phrase, found, self._wholes) for phrase in phrases}

    def complete(
        self, beginning: str, requested: RequestedMotivations | None = None
    ) -> Iterator[tuple[str, int]]:
        """Yield the words with a folded beginning, in order, and how often each occurs.

        With `requested`, in what is requested. Raises InvalidRequest if too many words have it.
        """
        selection = self.select(requested)
        if selection.is_empty:
            return
        term = Term(beginning, is_beginning=True)
        for block in self._open_blocks(self._blocks_of(term)).values():
            for word, packed in block.having(term):
                if selection.remarks is None:
                    yield word, count_positions(packed)
                    continue
                spans = [(position, 1) for position in unpack_positions(packed)]
                if count := len(self.keep(spans, selection)):
                    yield word, count

    def pages(self, numbers: Iterable[int]) -> dict[int, PackedPage]:
        """Return pages by their numbers, from 0."""
        firsts = [block.first for block in self._head.pages]
        places = {number: bisect_right(firsts, number) - 1 for number in numbers}
        needed = sorted(set(places.values()))
        bodies = self._blocks.read([len(self._firsts) + place for place in needed])
        packed: dict[int, PackedPages] = {}
        for place, body in zip(needed, bodies, strict=True):
            size = self._head.pages[place].texts
            texts, boxes = brotli.decompress(body[:size]), brotli.decompress(body[size:])
            packed[place] = PackedPages(texts, boxes)
        return {
            number: PackedPage(packed[place], number - firsts[place])
            for number, place in places.items()
        }

    def _blocks_of(self, term: Term) -> range:
        first = max(bisect_right(self._firsts, term.text) - 1, 0)
        if not term.is_beginning:
            return range(first, first + 1)
        return range(first, max(bisect_right(self._firsts, term.text + _LAST), first + 1))

    def _open_blocks(self, unordered: Iterable[int]) -> dict[int, _Terms]:
        """Return blocks of terms by their numbers. Raises InvalidRequest for too many."""
        numbers = sorted(unordered)
        if sum(map(self._blocks.size, numbers)) > MAX_TERM_BYTES:
            raise InvalidRequest("too many words begin like this: give more letters of it")
        return self._open(numbers)

    def _open(self, numbers: Sequence[int]) -> dict[int, _Terms]:
        """Return blocks of terms by their numbers, which rise."""
        opened = {}
        for number, body in zip(numbers, self._blocks.read(numbers), strict=True):
            size = self._head.terms[number].words
            opened[number] = _Terms(*unpack_terms(body[:size]), body[size:])
        return opened


def _unpack(several: Sequence[bytes]) -> list[int]:
    """Return the positions of some words, rising."""
    if len(several) == 1:
        return unpack_positions(several[0])
    found: list[int] = []
    for packed in several:
        found += unpack_positions(packed)
    return sorted(found)


def match_phrase(
    phrase: Phrase, found: Mapping[Term, list[int]], wholes: Container[int]
) -> list[Span]:
    """Return where all terms of a phrase follow each other, in order; one match a beginning.

    `found` has the positions of each term, `wholes` those of divided words as a whole.
    """
    first, *others = phrase
    begins = found[first]
    if first.is_beginning and wholes:
        # What the whole word and its first part both begin with is one match.
        whole = {position for position in begins if position in wholes}
        begins = [position for position in begins if position - 1 not in whole]
    if not others:
        return [(begin, 1) for begin in begins]
    paths = [(begin, begin) for begin in begins]
    for term in others:
        positions = set(found[term])
        paths = [
            (begin, after)
            for begin, position in paths
            for after in _list_next(position, wholes)
            if after in positions
        ]
    # One match a beginning, even if both the whole word and its first part follow.
    ends = dict(sorted(paths))
    return [(begin, end - begin + 1) for begin, end in ends.items()]


def _list_next(position: int, wholes: Container[int]) -> tuple[int, ...]:
    """Return the positions after one: two if the next word is a divided one."""
    after = position + 3 if position in wholes else position + 1
    return (after, after + 1) if after in wholes else (after,)
