"""Segments joined into one as streams, without the objects that do not answer any more."""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import groupby
from typing import BinaryIO

from vitrine.search.full_text.live_list import LiveSegment
from vitrine.search.full_text.postings import (
    Posting,
    align,
    join_postings,
    pack_posting,
    unpack_pages,
)
from vitrine.search.full_text.segment import Segment
from vitrine.search.full_text.segment_writer import (
    PlacedObject,
    count_page_numbers,
    write_segment,
)

MAX_DEAD = 4
"""A segment is written again once a fourth of its pages is dead."""
NO_PAGE = -1


def plan_merge(segments: Sequence[LiveSegment]) -> list[LiveSegment]:
    """Return the segments that should become one; none if all is well.

    A segment is joined with all smaller ones once these have as many pages together. So few
    segments answer, of which each has more pages than all smaller ones, and a page is written again
    only when what it is in doubles.
    """
    joined: list[LiveSegment] = []
    smaller, found = 0, 0
    for number, segment in enumerate(ordered := sorted(segments, key=lambda one: one.live_pages)):
        if number and smaller >= segment.live_pages:
            found = number + 1
        smaller += segment.live_pages
    joined = ordered[:found]
    decayed = [one for one in segments if one.dead_pages * MAX_DEAD > one.pages]
    return joined + [one for one in decayed if one not in joined]


@dataclass(frozen=True, slots=True)
class _Part:
    """A segment that is joined with others."""

    segment: Segment
    first_page: int
    """First of its pages in the new segment."""
    pages: int
    """Page numbers that it has there, an aligned number."""
    new_pages: "array[int] | None"
    """The new number of each page, or NO_PAGE; None if they are as they were."""

    def postings(self, place: int) -> Iterator[tuple[str, int, Posting]]:
        """Yield the words that are still on a page, with the place of the segment."""
        for posting in self.segment.read_all_words():
            kept = self._renumber(posting)
            if kept is not None:
                yield kept.word, place, kept

    def _renumber(self, posting: Posting) -> Posting | None:
        if self.new_pages is None:
            return posting
        pages = map(self.new_pages.__getitem__, unpack_pages(posting, self.segment.total))
        kept = [page for page in pages if page != NO_PAGE]
        return pack_posting(posting.word, kept, self.pages) if kept else None


def merge_segments(
    file: BinaryIO, segments: Sequence[tuple[LiveSegment, Segment]]
) -> LiveSegment | None:
    """Write one segment of several into an empty file; None if no object is left.

    Raises UnusableIndex, and what reading raises.
    """
    objects: list[PlacedObject] = []
    parts: list[_Part] = []
    for live, segment in segments:
        if not live.live_objects:
            continue
        first_page = count_page_numbers(objects)
        kept, part = _place(live, segment, first_page)
        objects += kept
        parts.append(part)
    if not objects:
        return None
    total = count_page_numbers(objects)
    streams = [part.postings(place) for place, part in enumerate(parts)]
    ordered = merge(*streams, key=lambda one: one[:2])

    def join() -> Iterator[Posting]:
        for _, same in groupby(ordered, key=lambda one: one[0]):
            joined = [
                (posting, parts[place].first_page, parts[place].pages) for _, place, posting in same
            ]
            yield join_postings(joined, total)

    return write_segment(file, objects, join())


def _place(
    live: LiveSegment, segment: Segment, first_page: int
) -> tuple[list[PlacedObject], _Part]:
    """Return the objects of a segment that are left, and how its pages are numbered."""
    dead = set(live.dead_numbers())
    left = [number for number in range(live.objects) if number not in dead]
    named = segment.read_objects(left)
    firsts, counts = segment.first_pages, segment.page_counts
    if not dead:
        kept = [
            PlacedObject(named[number], first_page + firsts[number], counts[number])
            for number in left
        ]
        return kept, _Part(segment, first_page, segment.total, None)
    new_pages = array("i", [NO_PAGE]) * segment.total
    kept, end = [], 0
    for number in left:
        first, count = firsts[number], counts[number]
        new_pages[first : first + count] = array("i", range(end, end + count))
        kept.append(PlacedObject(named[number], first_page + end, count))
        end += count
    return kept, _Part(segment, first_page, align(end), new_pages)
