"""Answers to queries in the pages of all objects.

Pages have to have all words of a query. Objects are ranked by how many of their pages have, as
BM25 ranks texts by how often they have a word: each further page counts less, and more pages count
less in a longer object. (All objects that are found have all words, so no word counts more.)

That the words of a phrase follow each other is looked up in the text index of the object itself,
object by object as they are ranked, until an answer is full.

No answer reveals a text that is withdrawn, even before the next update: of up to MAX_TRIED
objects, the caller admits each before it is counted.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from heapq import nsmallest
from itertools import islice
from typing import NamedTuple, TypeVar

from vitrine.errors import InvalidRequest, ObjectMissing
from vitrine.ports import ObjectStore
from vitrine.search.content.query import Phrase, Term
from vitrine.search.content.ranged_blocks import UnusableIndex
from vitrine.search.content.stored import StoredIndexes
from vitrine.search.full_text.form import IndexedObject
from vitrine.search.full_text.live_list import LiveSegment, segment_key
from vitrine.search.full_text.pages_of_query import FoundPages, find_pages
from vitrine.search.full_text.segment import Segment
from vitrine.search.full_text.shown_object import FoundObject, show_object
from vitrine.search.full_text.stored_segments import (
    DamagedSegment,
    StoredSegments,
    naming_damage,
)
from vitrine.store.layout import text_index_key
from vitrine.store.site_layout import FULL_TEXT

logger = logging.getLogger(__name__)

RUNBOOK = "docs/runbooks/searches-fail.md"
OBJECTS_SHOWN = 10
"""Objects of an answer, at most."""
MAX_TRIED = 30
"""Objects that are looked at for one answer."""
LAST_START = 1_000
"""Place in the ranking behind which no answer begins."""
MAX_BLOCK_BYTES = 4 << 20
"""Bytes of the blocks of words that one query may need."""
SATURATION, LENGTH = 1.2, 0.75
"""k and b of BM25."""
_READS_AT_ONCE = 8
S = TypeVar("S")
T = TypeVar("T")
Admit = Callable[[str, str], bool]
"""(identifier, name of its text index) -> whether that is what is published of it."""


@dataclass(frozen=True, slots=True)
class FoundObjects:
    """Some of the objects that a query finds."""

    total: int
    """Objects that are published. Those of more than MAX_TRIED are as many as were published at
    the last update, without those that this answer found to be withdrawn."""
    pages: int
    """Pages of all of them."""
    is_exact: bool
    """False if a phrase is in the query: `total` and `pages` have all words of it, in any order;
    and if a text index or a segment cannot be read."""
    items: tuple[FoundObject, ...]
    next: int
    """Place in the ranking at which the next answer begins; 0 if nothing follows."""


NOTHING = FoundObjects(0, 0, True, (), 0)


class _Candidate(NamedTuple):
    """An object that has pages with all words; the lesser, the better it is ranked."""

    score: float
    """From -1 to 0."""
    segment: int
    number: int
    pages: int


class FullTextSearch:
    """The search in what is published now."""

    def __init__(self, site: ObjectStore, indexes: StoredIndexes) -> None:
        self._segments = StoredSegments(site)
        self._indexes = indexes

    def find(self, phrases: Sequence[Phrase], start: int, admit: Admit) -> FoundObjects:
        """Return the objects from a place in the ranking, from 0.

        That nothing is found is said of the index as it is now. `admit` is asked before anything
        of an object is shown, from several threads. Raises InvalidRequest if too many words have a
        beginning, UnusableIndex if nothing of the index can be read, and TransientError. Segments
        that are damaged are left out.
        """
        if start > LAST_START:
            raise InvalidRequest(f"an answer begins at most {LAST_START:,} objects from the first")
        if not phrases:
            return NOTHING
        is_fresh = False
        while True:
            try:
                found = self._find(phrases, start, admit)
                if found.items or is_fresh or not self._segments.renew_list():
                    return found
                is_fresh = True
            except DamagedSegment as error:
                if is_fresh:
                    self._set_aside(error)
                # A segment may have been replaced, and emptied, since the list was read.
                self._segments.forget()
                is_fresh = True
            except UnusableIndex as error:
                raise UnusableIndex(f"{FULL_TEXT}: {error}") from error

    def _set_aside(self, error: DamagedSegment) -> None:
        key = segment_key(error.name)
        logger.error("%s cannot be read (%s): %s", key, RUNBOOK, error.__cause__)
        self._segments.set_aside(error.name)

    @property
    def missing(self) -> int:
        """Segments that are damaged, without which searches are answered."""
        return self._segments.missing

    def _find(self, phrases: Sequence[Phrase], start: int, admit: Admit) -> FoundObjects:
        opened = self._segments.open_all()
        missing = self._segments.missing
        terms = list(dict.fromkeys(term for phrase in phrases for term in phrase))
        found = _find_in_all(opened, terms)
        ranking = _Ranking(opened, found)
        best = ranking.best(start + MAX_TRIED + 1)
        is_small = ranking.objects <= MAX_TRIED
        answer = _Answer(self._indexes, opened, found, phrases, admit)
        answer.name(best if is_small else best[start : start + MAX_TRIED])
        answer.fill(best[start : start + MAX_TRIED], best if is_small else ())
        end = start + answer.tried
        is_more = any(one not in answer.refused for one in best[end:])
        hidden = answer.refused | answer.unreadable
        return FoundObjects(
            total=ranking.objects - len(hidden),
            pages=ranking.pages - sum(one.pages for one in hidden),
            is_exact=not (missing or answer.unreadable)
            and all(len(phrase) == 1 for phrase in phrases),
            items=tuple(answer.items),
            next=end if is_more and end <= LAST_START else 0,
        )


class _Answer:
    """The objects of one answer, while candidates are tried."""

    def __init__(
        self,
        indexes: StoredIndexes,
        opened: Sequence[tuple[LiveSegment, Segment]],
        found: Sequence[FoundPages],
        phrases: Sequence[Phrase],
        admit: Admit,
    ) -> None:
        self._indexes = indexes
        self._opened = opened
        self._found = found
        self._phrases = phrases
        self._admit = admit
        self._names: dict[tuple[int, int], IndexedObject] = {}
        self.items: list[FoundObject] = []
        self.tried = 0
        """Candidates that it took."""
        self.refused: set[_Candidate] = set()
        """What is not published, or has another text."""
        self.unreadable: set[_Candidate] = set()
        """What has a text index that is lost or damaged."""

    def name(self, candidates: Sequence[_Candidate]) -> None:
        """Read what candidates are; others cannot be tried."""
        self._names = _read_names(candidates, self._opened)

    def fill(self, candidates: Sequence[_Candidate], admitted: Sequence[_Candidate]) -> None:
        """Try candidates until there are enough objects; ask whether some more are published.

        Publications and the heads of text indexes are read at the same time: what only a
        publication allows to be shown is forgotten if it does not.
        """
        remaining = iter(candidates)
        with ThreadPoolExecutor(MAX_TRIED + OBJECTS_SHOWN) as threads:
            verdicts = {one: threads.submit(self._is_admitted, one) for one in admitted}
            while len(self.items) < OBJECTS_SHOWN and (
                batch := list(islice(remaining, OBJECTS_SHOWN))
            ):
                fresh = [one for one in batch if one not in verdicts]
                verdicts |= {one: threads.submit(self._is_admitted, one) for one in fresh}
                heads = [threads.submit(self._open, one) for one in batch]
                for item in threads.map(self._show, batch, [verdicts[one] for one in batch], heads):
                    if len(self.items) == OBJECTS_SHOWN:
                        break
                    self.tried += 1
                    if item:
                        self.items.append(item)
        for one in verdicts.values():
            one.result()

    def _is_admitted(self, candidate: _Candidate) -> bool:
        named = self._names[candidate.segment, candidate.number]
        if self._admit(named.identifier, named.index):
            return True
        self.refused.add(candidate)
        return False

    def _open(self, candidate: _Candidate) -> None:
        """Read the head of a text index. One that cannot be read is noticed when it is shown."""
        named = self._names[candidate.segment, candidate.number]
        with suppress(ObjectMissing, UnusableIndex):
            self._indexes.open(text_index_key(named.identifier, named.index))

    def _show(
        self, candidate: _Candidate, admitted: Future[bool], head: Future[None]
    ) -> FoundObject | None:
        if not admitted.result():
            return None
        head.result()
        place, number = candidate.segment, candidate.number
        named = self._names[place, number]
        first = self._found[place].first_of(self._opened[place][1], number)
        try:
            return show_object(self._indexes, named, self._phrases, candidate.pages, first)
        except (ObjectMissing, UnusableIndex) as error:
            key = text_index_key(named.identifier, named.index)
            logger.error("%s cannot be read, so no search finds its object: %s", key, error)
            self.unreadable.add(candidate)
            return None


def _read_names(
    candidates: Sequence[_Candidate], opened: Sequence[tuple[LiveSegment, Segment]]
) -> dict[tuple[int, int], IndexedObject]:
    """Return what the objects are, by segment and number."""
    numbers: dict[int, list[int]] = {}
    for candidate in candidates:
        numbers.setdefault(candidate.segment, []).append(candidate.number)

    def read(place: int) -> dict[int, IndexedObject]:
        live, segment = opened[place]
        with naming_damage(live):
            return segment.read_objects(numbers[place])

    found = _map(read, list(numbers))
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
    if sum(sizes) > MAX_BLOCK_BYTES:
        raise InvalidRequest("too many words begin like this: give more letters of it")

    def find(place: int) -> FoundPages:
        live, segment = opened[place]
        with naming_damage(live):
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
        """Return at most `most` of the best, in order."""
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


def _map(work: Callable[[S], T], places: Sequence[S]) -> list[T]:
    """Return what work makes of each place; several are read at once."""
    if len(places) < 2:
        return [work(place) for place in places]
    with ThreadPoolExecutor(min(len(places), _READS_AT_ONCE)) as threads:
        return list(threads.map(work, places))
