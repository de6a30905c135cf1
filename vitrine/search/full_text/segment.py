"""A segment as it is read: the head once, then the blocks that a query needs."""

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from vitrine.search.content.packing import unpack_column
from vitrine.search.content.query import Term
from vitrine.search.content.ranged_blocks import RangedBlocks, ReadRange, UnusableIndex
from vitrine.search.full_text.form import (
    BLOCK_OBJECTS,
    MAGIC,
    IndexedObject,
    SegmentHead,
    decompress,
    unpack_words,
    unseal,
)
from vitrine.search.full_text.live_list import LiveSegment
from vitrine.search.full_text.postings import Posting

BEHIND = "\U0010ffff"
"""Behind every letter."""
BLOCKS_AT_ONCE = 32
"""Blocks that are in memory while all words are read."""


class Segment:
    """The words and objects of a segment. What was read is kept."""

    def __init__(self, read: ReadRange, live: LiveSegment) -> None:
        """Read the head. Raises UnusableIndex, and what reading raises."""
        packed = read(live.head, live.size - live.head)
        head = decompress(unseal(packed), SegmentHead)
        self.total = head.total
        self.first_pages = unpack_column(head.first_pages)
        self.page_counts = unpack_column(head.page_counts)
        # A segment of objects without words has no block of words.
        self._first_words = head.first_words.split("\n") if head.first_words else []
        sizes = unpack_column(head.sizes)
        blocks = len(self._first_words) + math.ceil(live.objects / BLOCK_OBJECTS)
        counts = {len(self.first_pages), len(self.page_counts)}
        if {len(sizes), len(head.checksums)} != {blocks} or counts != {live.objects}:
            raise UnusableIndex("its head contradicts itself or the list of segments")
        self._blocks = RangedBlocks(read, len(MAGIC), sizes, head.checksums)
        self._head_bytes = len(packed)

    @property
    def kept_bytes(self) -> int:
        """Bytes of what was read."""
        return self._head_bytes + self._blocks.kept_bytes

    def forget(self) -> None:
        """Drop all but the head."""
        self._blocks.forget()

    def blocks_of(self, term: Term) -> range:
        """Return the numbers of the blocks in which a term is if it is anywhere."""
        first = max(bisect_right(self._first_words, term.text) - 1, 0)
        if not term.is_beginning:
            return range(first, min(first + 1, len(self._first_words)))
        return range(first, bisect_right(self._first_words, term.text + BEHIND))

    def size(self, number: int) -> int:
        """Return the bytes of a block."""
        return self._blocks.size(number)

    def read_blocks(self, numbers: Sequence[int]) -> None:
        """Read blocks of words together that are needed soon; their numbers rise.

        Raises UnusableIndex, and what reading raises.
        """
        self._blocks.read(numbers)

    def read_term(self, term: Term) -> list[Posting]:
        """Return the posting of a word, or those of all words with a beginning. Raises as above."""
        end = term.text + (BEHIND if term.is_beginning else "\0")
        bodies = self._blocks.read(self.blocks_of(term))
        return [posting for body in bodies for posting in unpack_words(body, term.text, end)]

    def read_all_words(self) -> Iterator[Posting]:
        """Yield all postings, without keeping what was read. Raises as above."""
        count = len(self._first_words)
        for start in range(0, count, BLOCKS_AT_ONCE):
            for body in self._blocks.read(range(start, min(start + BLOCKS_AT_ONCE, count))):
                yield from unpack_words(body)
            self.forget()

    def read_objects(self, numbers: Sequence[int]) -> dict[int, IndexedObject]:
        """Return objects by their numbers. Raises as above."""
        first = len(self._first_words)
        blocks = sorted({number // BLOCK_OBJECTS for number in numbers})
        bodies = self._blocks.read([first + block for block in blocks])
        found = {
            block: decompress(body, list[IndexedObject])
            for block, body in zip(blocks, bodies, strict=True)
        }
        return {
            number: found[number // BLOCK_OBJECTS][number % BLOCK_OBJECTS] for number in numbers
        }
