"""Searches in titles and descriptions: reads the index as `site/search/index.js` does.

A test asks both the same questions.
"""

import asyncio
import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping

import msgspec

from vitrine.mcp.visitor import Visitor
from vitrine.store.site_layout import SEARCH_INDEX
from vitrine.text.folding import split_words

MAX_WORDS = 8
MAX_CHUNKS = 6
"""Files of words that begin with the last one of a query."""
MIN_BEGINNING_LENGTH = 3
"""Letters of a beginning; of scripts without spaces, one sign."""
LEVELS = (6, 3, 1)
"""Weights of a word in a short title, a long one, elsewhere."""
BEGINNING = 0.4
"""Weight of a word that only begins as the query's last one does."""
FIRST_SIGN = "\u2e80"
"""First sign of the scripts of East Asia."""
Levels = list[list[int]]
"""Gaps between the numbers of the objects that have a stem, for each level."""
Card = tuple[str, str, dict[str, str], str, str, int, int]
"""Kind, identifier, label by language, a line of metadata; path, width and height of a picture."""


class Directory(msgspec.Struct, frozen=True):
    """What the index has."""

    objects: int
    cards: int
    """Number of cards in a file."""
    chunks: list[str]
    """The first word of each file of words."""
    ignored: frozenset[str]


class Chunk(msgspec.Struct, frozen=True):
    """A file of words: stems of each, and the objects of each stem."""

    words: dict[str, str | list[str]] = {}
    stems: dict[str, Levels] = {}


class TitleSearch:
    """The index of a site."""

    def __init__(self, visitor: Visitor) -> None:
        self._visitor = visitor

    async def find(self, query: str, most: int) -> tuple[int, list[Card]]:
        """Return how many objects have all words of a query, and the best of them.

        Raises ToolError.
        """
        directory = await self._visitor.find_json(_path("directory"), Directory)
        if directory is None:  # nothing was ever published
            return 0, []
        listed = dict.fromkeys(split_words(query))
        words = [word for word in listed if word not in directory.ignored][:MAX_WORDS]
        if not words:
            return 0, []
        reading = _Reading(self._visitor, directory)
        last = len(words) - 1
        scores = await asyncio.gather(
            *(reading.score(word, place == last) for place, word in enumerate(words))
        )
        ranked = _rank(scores)
        return len(ranked), await self._cards(ranked[:most], directory.cards)

    async def _cards(self, numbers: list[int], size: int) -> list[Card]:
        """Return the cards of objects, without those of objects that are no longer published."""
        places = sorted({number // size for number in numbers})
        paths = [_path(f"cards/{place}") for place in places]
        read = await asyncio.gather(
            *(self._visitor.find_json(path, list[Card | int | None]) for path in paths)
        )
        files = dict(zip(places, read, strict=True))
        cards = ((files[number // size] or [])[number % size :][:1] for number in numbers)
        # What is no longer published has a number in the place of its card.
        return [card for (card,) in filter(None, cards) if isinstance(card, tuple)]


class _Reading:
    """The files of words that one query reads, each once."""

    def __init__(self, visitor: Visitor, directory: Directory) -> None:
        self._visitor = visitor
        self._directory = directory
        self._chunks: dict[int, asyncio.Task[Chunk | None]] = {}

    async def score(self, word: str, is_last: bool) -> Mapping[int, float]:
        """Return what a word counts in each object that has it, by the object's number."""
        exact = await self._stems(word, word)
        scores: dict[int, float] = {}
        await self._add(scores, exact, 1)
        if is_last and (len(word) >= MIN_BEGINNING_LENGTH or word >= FIRST_SIGN):
            begun = await self._stems(word, f"{word}\uffff")
            await self._add(scores, begun - exact, BEGINNING)
        return scores

    async def _add(self, scores: dict[int, float], stems: Iterable[str], weight: float) -> None:
        for levels in await asyncio.gather(*(self._postings(stem) for stem in stems)):
            count = sum(map(len, levels))
            rarity = math.log(1 + self._directory.objects / (count or 1))
            for level, gaps in zip(LEVELS, levels, strict=False):
                number = 0
                for gap in gaps:
                    number += gap
                    scores[number] = max(scores.get(number, 0), weight * rarity * level)

    async def _stems(self, start: str, end: str) -> set[str]:
        first = self._place(start)
        last = min(self._place(end), first + MAX_CHUNKS - 1)
        chunks = await asyncio.gather(*map(self._chunk, range(first, last + 1)))
        stems: set[str] = set()
        for chunk in chunks:
            for word, named in chunk.words.items():
                if start <= word <= end:
                    stems.update([named] if isinstance(named, str) else named)
            # A word that is its own stem is not listed as a word; a facet's value has a colon.
            stems.update(stem for stem in chunk.stems if start <= stem <= end and ":" not in stem)
        return stems

    async def _postings(self, stem: str) -> Levels:
        return (await self._chunk(self._place(stem))).stems.get(stem, [])

    async def _chunk(self, place: int) -> Chunk:
        if place not in self._chunks:
            name = self._directory.chunks[place].encode().hex() or "0"
            reading = self._visitor.find_json(_path(f"words/{name}"), Chunk)
            self._chunks[place] = asyncio.ensure_future(reading)
        return await self._chunks[place] or Chunk()

    def _place(self, word: str) -> int:
        return max(0, bisect_right(self._directory.chunks, word) - 1)


def _rank(scores: list[Mapping[int, float]]) -> list[int]:
    """Return the numbers of the objects with all words, best first; of equals the lower one."""
    smallest = min(scores, key=len)
    totals = {
        number: round(1_000 * sum(one[number] for one in scores))
        for number in smallest
        if all(number in one for one in scores)
    }
    return sorted(totals, key=lambda number: (-totals[number], number))


def _path(name: str) -> str:
    return f"/{SEARCH_INDEX}{name}.json"
