"""Answers to queries in the pages of all objects.

Pages have to have all words of a query. Objects are ranked by how many of their pages have, as
BM25 ranks texts by how often they have a word: each further page counts less, and more pages count
less in a longer object. (All objects that are found have all words, so no word counts more.)

That the words of a phrase follow each other is looked up in the text index of the object itself,
object by object as they are ranked, until an answer is full.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from heapq import nsmallest
from itertools import islice
from typing import NamedTuple, TypeVar

from vitrine.errors import InvalidRequest
from vitrine.ports import ObjectStore
from vitrine.present.across.form import IndexedObject
from vitrine.present.across.live_list import LiveSegment
from vitrine.present.across.pages_of_query import FoundPages, find_pages
from vitrine.present.across.segment import Segment
from vitrine.present.across.shown_object import FoundObject, show_object
from vitrine.present.across.stored_segments import StoredSegments
from vitrine.present.inside.query import Phrase, Term
from vitrine.present.inside.ranged_blocks import UnusableIndex
from vitrine.present.inside.stored import StoredIndexes
from vitrine.store.site_layout import ACROSS

OBJECTS_SHOWN = 10
"""Of an answer, at most."""
MOST_TRIED = 30
"""Objects that are looked at for one answer."""
LAST_START = 1_000
"""Place in the ranking behind which no answer begins."""
MOST_BLOCK_BYTES = 4 << 20
"""Of the blocks of words that one query may need."""
SATURATION, LENGTH = 1.2, 0.75
"""k and b of BM25."""
_READS_AT_ONCE = 8
T = TypeVar("T")
Admit = Callable[[str, str], bool]
"""(identifier, name of its text index) -> whether that is what is published of it."""


@dataclass(frozen=True, slots=True)
class Found:
    """Some of the objects that a query finds."""

    total: int
    """Objects."""
    pages: int
    """Pages of all of them."""
    is_exact: bool
    """False if a phrase is in the query: `total` and `pages` have all words of it, in any order."""
    items: tuple[FoundObject, ...]
    next: int
    """Place in the ranking at which the next answer begins; 0 if nothing follows."""


NOTHING = Found(0, 0, True, (), 0)


class _Candidate(NamedTuple):
    """An object that has pages with all words; the lesser, the better it is ranked."""

    score: float
    """From -1 to 0."""
    segment: int
    number: int
    pages: int


class Across:
    """The search in what is published now."""

    def __init__(self, site: ObjectStore, indexes: StoredIndexes) -> None:
        self._segments = StoredSegments(site)
        self._indexes = indexes

    def find(self, phrases: Sequence[Phrase], start: int, admit: Admit) -> Found:
        """Return the objects from a place in the ranking, from 0.

        `admit` is asked before anything of an object is read, from several threads. Raises
        InvalidRequest if too many words have a beginning, UnusableIndex, and TransientError.
        """
        if start > LAST_START:
            raise InvalidRequest(f"an answer begins at most {LAST_START:,} objects from the first")
        if not phrases:
            return NOTHING
        try:
            return self._find(phrases, start, admit)
        except UnusableIndex as error:
            raise UnusableIndex(f"{ACROSS}: {error}") from error

    def _find(self, phrases: Sequence[Phrase], start: int, admit: Admit) -> Found:
        opened = self._segments.open_all()
        terms = list(dict.fromkeys(term for phrase in phrases for term in phrase))
        found = _find_in_all(opened, terms)
        ranking = _Ranking(opened, found)
        best = ranking.best(start + MOST_TRIED + 1)[start:]
        items, tried = self._show(best[:MOST_TRIED], opened, found, phrases, admit)
        is_more = tried < len(best)
        is_exact = all(len(phrase) == 1 for phrase in phrases)
        following = start + tried if is_more and start + tried <= LAST_START else 0
        return Found(ranking.objects, ranking.pages, is_exact, tuple(items), following)

    def _show(
        self,
        candidates: Sequence[_Candidate],
        opened: Sequence[tuple[LiveSegment, Segment]],
        found: Sequence[FoundPages],
        phrases: Sequence[Phrase],
        admit: Admit,
    ) -> tuple[list[FoundObject], int]:
        """Return objects until there are enough, and how many candidates that took."""
        names = _read_names(candidates, opened)

        def show(candidate: _Candidate) -> FoundObject | None:
            named = names[candidate.segment, candidate.number]
            if not admit(named.identifier, named.index):
                return None
            first = found[candidate.segment].first_of(
                opened[candidate.segment][1], candidate.number
            )
            return show_object(self._indexes, named, phrases, candidate.pages, first)

        items: list[FoundObject] = []
        tried = 0
        remaining = iter(candidates)
        with ThreadPoolExecutor(OBJECTS_SHOWN) as threads:
            while batch := list(islice(remaining, OBJECTS_SHOWN)):
                for item in threads.map(show, batch):
                    tried += 1
                    if item:
                        items.append(item)
                    if len(items) == OBJECTS_SHOWN:
                        return items, tried
        return items, tried


def _read_names(
    candidates: Sequence[_Candidate], opened: Sequence[tuple[LiveSegment, Segment]]
) -> dict[tuple[int, int], IndexedObject]:
    """Return what the objects are, by segment and number."""
    numbers: dict[int, list[int]] = {}
    for candidate in candidates:
        numbers.setdefault(candidate.segment, []).append(candidate.number)
    found = _map(lambda place: opened[place][1].read_objects(numbers[place]), list(numbers))
    return {
        (place, number): named
        for place, objects in zip(numbers, found, strict=True)
        for number, named in objects.items()
    }


def _find_in_all(
    opened: Sequence[tuple[LiveSegment, Segment]], terms: Sequence[Term]
) -> list[FoundPages]:
    """Return the pages of each segment that have all terms."""
    blocks = [
        sorted({number for term in terms for number in segment.blocks_of(term)})
        for _, segment in opened
    ]
    sizes = (
        segment.size(number)
        for (_, segment), numbers in zip(opened, blocks, strict=True)
        for number in numbers
    )
    if sum(sizes) > MOST_BLOCK_BYTES:
        raise InvalidRequest("too many words begin like this: give more letters of it")

    def find(place: int) -> FoundPages:
        segment = opened[place][1]
        segment.read_blocks(blocks[place])
        return find_pages(segment, {term: segment.read_term(term) for term in terms})

    return _map(find, range(len(opened)))


class _Ranking:
    """The objects that were found, and what the best of them are."""

    def __init__(
        self, opened: Sequence[tuple[LiveSegment, Segment]], found: Sequence[FoundPages]
    ) -> None:
        self._opened = opened
        self._found = found
        self.objects = self.pages = 0
        """Counted while they are ranked."""
        pages = sum(live.live_pages for live, _ in opened)
        objects = sum(live.live_objects for live, _ in opened)
        self._average = pages / max(objects, 1)

    def best(self, most: int) -> list[_Candidate]:
        """Return so many of the best, in order."""
        return [_Candidate(*one) for one in nsmallest(most, self._candidates())]

    def _candidates(self) -> Iterator[tuple[float, int, int, int]]:
        short = SATURATION * (1 - LENGTH)
        slope = SATURATION * LENGTH / max(self._average, 1)
        for place, ((live, segment), found) in enumerate(
            zip(self._opened, self._found, strict=True)
        ):
            dead, counts = set(live.dead_numbers()), segment.page_counts
            for number, pages in found.count_by_object(segment):
                if number not in dead:
                    self.objects += 1
                    self.pages += pages
                    yield -pages / (pages + short + slope * counts[number]), place, number, pages


def _map(work: Callable[[int], T], places: Sequence[int]) -> list[T]:
    """Return what work makes of each place; several are read at once."""
    if len(places) < 2:
        return [work(place) for place in places]
    with ThreadPoolExecutor(min(len(places), _READS_AT_ONCE)) as threads:
        return list(threads.map(work, places))
