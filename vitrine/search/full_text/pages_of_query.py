"""The pages of a segment that have all words of a query."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence

from vitrine.search.content.query import Term
from vitrine.search.full_text.postings import (
    Posting,
    bits_to_flags,
    flags_to_bits,
    is_dense,
    unpack_pages,
)
from vitrine.search.full_text.segment import Segment


class FoundPages:
    """Pages of a segment: their numbers, rising, or a flag for each page."""

    def __init__(self, numbers: Sequence[int] = (), flags: bytes = b"") -> None:
        self._numbers = numbers
        self._flags = flags

    def count_by_object(self, segment: Segment) -> Iterable[tuple[int, int]]:
        """Yield the number of each object that has some of them, and how many."""
        firsts, counts = segment.first_pages, segment.page_counts
        if self._flags:
            for number, (first, count) in enumerate(zip(firsts, counts, strict=True)):
                found = self._flags.count(1, first, first + count)
                if found:
                    yield number, found
            return
        place = 0
        while place < len(self._numbers):
            number = bisect_right(firsts, self._numbers[place]) - 1
            end = bisect_left(self._numbers, firsts[number] + counts[number], place)
            yield number, end - place
            place = end

    def first_of(self, segment: Segment, number: int) -> int:
        """Return the first of them of an object, counted from that object's first page."""
        first = segment.first_pages[number]
        if self._flags:
            return self._flags.index(1, first) - first
        return self._numbers[bisect_left(self._numbers, first)] - first


def find_pages(segment: Segment, postings: Mapping[Term, Sequence[Posting]]) -> FoundPages:
    """Return the pages that have all terms; those of a beginning have any of its words."""
    total = segment.total
    sparse: list[Posting] = []
    dense: list[bytes] = []
    if not all(postings.values()):
        return FoundPages()
    for found in postings.values():
        if len(found) > 1:
            dense.append(_unite(found, total))
        elif is_dense(found[0].count, total):
            dense.append(found[0].packed)
        else:
            sparse.append(found[0])
    if not sparse:
        return FoundPages(flags=bits_to_flags(_intersect(dense)))
    sparse.sort(key=lambda posting: posting.count)
    pages = unpack_pages(sparse[0], total)
    for posting in sparse[1:]:
        others = set(unpack_pages(posting, total))
        pages = [page for page in pages if page in others]
    for bits in dense:
        pages = [page for page in pages if bits[page >> 3] << (page & 7) & 0x80]
    return FoundPages(pages)


def _intersect(several: Sequence[bytes]) -> bytes:
    common = int.from_bytes(several[0])
    for bits in several[1:]:
        common &= int.from_bytes(bits)
    return common.to_bytes(len(several[0]))


def _unite(postings: Sequence[Posting], total: int) -> bytes:
    """Return the bits of all pages on which one of some words is."""
    flags, united = bytearray(total), 0
    for posting in postings:
        if is_dense(posting.count, total):
            united |= int.from_bytes(posting.packed)
        else:
            for page in unpack_pages(posting, total):
                flags[page] = 1
    united |= int.from_bytes(flags_to_bits(flags))
    return united.to_bytes(total // 8)
