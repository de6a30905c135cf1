"""A text index as it is read: the head once, then the blocks that a query needs."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate, pairwise

import brotli
import msgspec

from vitrine.errors import InvalidRequest
from vitrine.present.inside.form import MAGIC, PREFIX, Head, unpack_terms
from vitrine.present.inside.packed_pages import PackedPages
from vitrine.present.inside.packing import unpack_positions
from vitrine.present.inside.query import Phrase, Term
from vitrine.present.text.page_text import PageText

ReadRange = Callable[[int, int], bytes]
"""(offset, length) -> that many bytes, fewer only where the file ends."""
FIRST_BYTES = 32 << 10
"""Of the first read: the head, of a short object all of it."""
GAP_BYTES = 64 << 10
"""Two ranges with less between them are read as one: S3 sends that in the time of a request."""
MOST_TERM_BYTES = 4 << 20
"""Of the blocks that the beginnings of one query may need."""
_READS_AT_ONCE = 8
Range = tuple[int, int]


class UnusableIndex(ValueError):
    """The bytes are no text index of this form."""


class TextIndex:
    """The words, positions and pages of one object. What was read is kept."""

    def __init__(self, read: ReadRange) -> None:
        """Read the head. Raises UnusableIndex, and what reading raises."""
        self._read = read
        self._kept: dict[int, bytes] = {}
        first = read(0, FIRST_BYTES)
        if len(first) < PREFIX.size or first[:4] != MAGIC:
            raise UnusableIndex("it does not begin as a text index does")
        end = PREFIX.unpack_from(first)[1] + PREFIX.size
        while len(first) < end:
            more = read(len(first), end - len(first))
            if not more:
                raise UnusableIndex("its head is cut")
            first += more
        self._kept[0] = first
        self._head = msgspec.msgpack.decode(brotli.decompress(first[PREFIX.size : end]), type=Head)
        self.starts = unpack_positions(self._head.starts)
        self._firsts = [block.first for block in self._head.terms]
        sizes = [block.words + block.positions for block in self._head.terms]
        sizes += [block.texts + block.boxes for block in self._head.pages]
        self._offsets = list(accumulate(sizes, initial=end))

    @property
    def kept_bytes(self) -> int:
        """Bytes of what was read."""
        return sum(map(len, self._kept.values()))

    def pages_of(self, positions: Iterable[int]) -> list[int]:
        """Return the page of each position, from 0."""
        starts = self.starts
        return [bisect_right(starts, position) - 1 for position in positions]

    def find(self, phrases: Sequence[Phrase]) -> dict[Phrase, list[int]]:
        """Return the positions, rising, at which each phrase begins.

        Raises InvalidRequest if too many words have a beginning.
        """
        terms = {term for phrase in phrases for term in phrase}
        blocks = {term: self._blocks_of(term) for term in terms}
        numbers = sorted({number for found in blocks.values() for number in found})
        if sum(self._size(number) for number in numbers) > MOST_TERM_BYTES:
            raise InvalidRequest("too many words begin like this: give more letters of it")
        bodies = dict(zip(numbers, self._read_blocks(numbers), strict=True))
        found = {term: _positions_of(term, self._entries(blocks[term], bodies)) for term in terms}
        return {phrase: _follow(phrase, found) for phrase in phrases}

    def complete(self, beginning: str) -> Iterator[tuple[str, int]]:
        """Yield the words with a folded beginning, in order, and how often each occurs.

        Raises InvalidRequest if too many words have it.
        """
        numbers = self._blocks_of(Term(beginning, is_beginning=True))
        if sum(self._size(number) for number in numbers) > MOST_TERM_BYTES:
            raise InvalidRequest("too many words begin like this: give more letters of it")
        bodies = dict(zip(numbers, self._read_blocks(numbers), strict=True))
        for word, packed in self._entries(numbers, bodies):
            if word.startswith(beginning):
                yield word, sum(byte < 0x80 for byte in packed)

    def pages(self, numbers: Iterable[int]) -> dict[int, PageText]:
        """Return pages by their numbers, from 0."""
        firsts = [block.first for block in self._head.pages]
        places = {number: bisect_right(firsts, number) - 1 for number in numbers}
        needed = sorted(set(places.values()))
        bodies = self._read_blocks([len(self._firsts) + place for place in needed])
        packed: dict[int, PackedPages] = {}
        for place, body in zip(needed, bodies, strict=True):
            size = self._head.pages[place].texts
            texts, boxes = brotli.decompress(body[:size]), brotli.decompress(body[size:])
            packed[place] = PackedPages(texts, boxes)
        return {
            number: packed[place].read(number - firsts[place]) for number, place in places.items()
        }

    def _blocks_of(self, term: Term) -> range:
        first = max(bisect_right(self._firsts, term.text) - 1, 0)
        if not term.is_beginning:
            return range(first, first + 1)
        return range(first, bisect_right(self._firsts, term.text + "\U0010ffff"))

    def _entries(
        self, numbers: Iterable[int], bodies: dict[int, bytes]
    ) -> Iterator[tuple[str, bytes]]:
        """Yield the words of blocks, each with its packed positions."""
        for number in numbers:
            block, body = self._head.terms[number], bodies[number]
            words, ends = unpack_terms(body[: block.words])
            places = pairwise([0, *ends])
            for word, (start, end) in zip(words, places, strict=True):
                yield word, body[block.words + start : block.words + end]

    def _size(self, number: int) -> int:
        size: int = self._offsets[number + 1] - self._offsets[number]
        return size

    def _read_blocks(self, numbers: Sequence[int]) -> list[bytes]:
        """Return blocks by their numbers, which rise; those near each other are read together."""
        missing = [number for number in numbers if self._kept_block(number) is None]
        spans: list[Range] = []
        for number in missing:
            start, end = self._offsets[number], self._offsets[number + 1]
            if spans and start - spans[-1][1] <= GAP_BYTES:
                spans[-1] = (spans[-1][0], end)
            else:
                spans.append((start, end))
        self._keep(spans)
        found = [self._kept_block(number) for number in numbers]
        if any(block is None for block in found):
            raise UnusableIndex("it is shorter than its head says")
        return [block for block in found if block is not None]

    def _keep(self, spans: Sequence[Range]) -> None:
        def read(span: Range) -> None:
            self._kept[span[0]] = self._read(span[0], span[1] - span[0])

        if len(spans) == 1:
            read(spans[0])
        elif spans:
            with ThreadPoolExecutor(min(len(spans), _READS_AT_ONCE)) as threads:
                list(threads.map(read, spans))

    def _kept_block(self, number: int) -> bytes | None:
        start, end = self._offsets[number], self._offsets[number + 1]
        for offset, body in self._kept.items():
            if offset <= start and end <= offset + len(body):
                return body[start - offset : end - offset]
        return None


def _positions_of(term: Term, entries: Iterable[tuple[str, bytes]]) -> list[int]:
    """Return all positions of a term, rising."""
    if not term.is_beginning:
        return next((unpack_positions(packed) for word, packed in entries if word == term.text), [])
    found: list[int] = []
    for word, packed in entries:
        if word.startswith(term.text):
            found += unpack_positions(packed)
    return sorted(found)


def _follow(phrase: Phrase, found: dict[Term, list[int]]) -> list[int]:
    """Return where all terms of a phrase follow each other."""
    begins = found[phrase[0]]
    for place, term in enumerate(phrase[1:], start=1):
        others = set(found[term])
        begins = [begin for begin in begins if begin + place in others]
    return begins
