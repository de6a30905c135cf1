"""The index: words in chunks of the alphabet, cards by number, facets; each file is small JSON.

A query reads the directory, the chunks with its words, and the cards of the results on the screen.
Numbers of objects stay the same, and where a chunk begins depends on the word there alone: a change
of an object changes the chunks with its words, one file of cards, and nothing else. What a visitor
has of an older directory still fits the newest chunks. `site/search/index.js` reads it; the format
is described in docs/explanations/the-site.md.
"""

import zlib
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Self

import msgspec

from vitrine.search.titles.kept_files import KeptCards, KeptNumbers
from vitrine.search.titles.map_cells import CELL, MAX_CELLS
from vitrine.search.titles.rows import IN_TEXT, LEVELS, FacetValue, Row
from vitrine.search.titles.terms import Terms
from vitrine.search.titles.words import IGNORED
from vitrine.site.pages.cards import Card, Labels
from vitrine.site.pages.facet_values import PART_OF
from vitrine.site.pages.stored_facets import DIRECTORY, PLACES, facet_file_key
from vitrine.site.pages.strings import LANGUAGES, strings
from vitrine.store.site_layout import SEARCH_INDEX
from vitrine.text.slugs import make_slug

FORM = 1
CARDS = 32
"""Objects in a file of cards. A page of results reads up to twenty of them."""
KEYS = 192
"""Words of a chunk, on average."""
LARGE = 2_000
"""Objects of a word that has a chunk to itself."""
MAX_VALUES = 100
"""Values of a facet that are counted in results; its pages list all."""
_LEVELS = len(LEVELS)
_COLLECTION = {language: strings(language)["collection"] for language in LANGUAGES}
_encode = msgspec.json.Encoder().encode


class TitleIndex:
    """Takes rows in any order, each with its number; then gives the files, and then the lists.

    What grows with the collection lies in a folder until `close`.
    """

    def __init__(self, folder: Path) -> None:
        self._terms = Terms(folder)
        self._cards = KeptCards(folder / "cards")
        self._lists = KeptNumbers(folder / "lists")
        """Of the objects with a value, by `facet:value`."""
        self.facets: dict[str, dict[str, Labels]] = {}
        """Labels of values, by the slugs of facet and value; but for collections."""
        self.facet_labels: dict[str, Labels] = {}
        self._collections: set[str] = set()
        """Slugs of the collections that objects are in."""
        self._titles: dict[str, Labels] = {}
        """Titles of all collections, by their slugs."""
        self._cells: Counter[str] = Counter()
        """Objects in each cell of the map."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._cards.close()
        self._lists.close()

    def add(self, row: Row) -> None:
        """Add an object that is to be found."""
        assert row.card
        self._cards.add(row.number, row.card)
        levels: dict[str, int] = {}
        for word, stem, level in row.words:
            if levels.get(stem, IN_TEXT) >= level:
                levels[stem] = level
            self._terms.add_stem(word, stem)
        for stem, level in levels.items():
            self._terms.add_posting(stem, row.number * _LEVELS + level)
        self._add_facets(row.number, row.facets)
        self._add_collections(row)
        if row.cell:
            self._cells[row.cell] += 1
            self._terms.add_posting(f"{CELL}:{row.cell}", row.number * _LEVELS)
        self._terms.make_room()

    def _add_facets(self, number: int, facets: Sequence[FacetValue]) -> None:
        added = set()
        for one in facets:
            facet, value = slugs = one.slugs
            if slugs not in added:
                self.facet_labels.setdefault(facet, one.facet)
                self.facets.setdefault(facet, {}).setdefault(value, one.value)
                self._terms.add_posting(f"{facet}:{value}", number * _LEVELS)
                added.add(slugs)

    def _add_collections(self, row: Row) -> None:
        """Note in which collections an object is, and what a collection is called."""
        if row.card and row.card.kind == "collection":
            self._titles[make_slug(row.identifier)] = row.card.label
        for slug in dict.fromkeys(map(make_slug, row.collections)):
            self._collections.add(slug)
            self._terms.add_posting(f"{PART_OF}:{slug}", row.number * _LEVELS)

    def __len__(self) -> int:
        return len(self._cards)

    def objects_of(self, facet: str, value: str) -> Sequence[int]:
        """Return the numbers of the objects with a value, ascending, once the files were given."""
        return self._lists.read(f"{facet}:{value}")

    def count_objects(self, facet: str, value: str) -> int:
        """Return how many objects have a value, once the files were given."""
        return self._lists.count(f"{facet}:{value}")

    def card(self, number: int) -> Card:
        """Return the card of an object."""
        return self._cards.card(number)

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Yield key and body of each file, the directory last."""
        for place, cards in self._cards.groups(CARDS):
            body = b",".join(card or b"0" for card in cards)
            yield f"{SEARCH_INDEX}cards/{place}.json", b"[" + body + b"]"
        starts = []
        for start, body in self._chunks():
            starts.append(start)
            yield chunk_key(start), body
        for facet in sorted(self.facets):
            yield self._facet_file(facet, self.facets[facet])
        listed = {slug: self._titles[slug] for slug in self._titles.keys() & self._collections}
        if listed:
            yield self._facet_file(PART_OF, listed)
        yield PLACES, _encode({"cells": dict(self._cells.most_common(MAX_CELLS))})
        collections = [[PART_OF, _COLLECTION]] if listed else []
        directory = {
            "form": FORM,
            "objects": len(self._cards),
            "cards": CARDS,
            "chunks": starts,
            "ignored": sorted(IGNORED),
            "facets": [
                *collections,
                *([facet, self.facet_labels[facet]] for facet in sorted(self.facets)),
            ],
        }
        yield DIRECTORY, _encode(directory)

    def _facet_file(self, facet: str, labels: Mapping[str, Labels]) -> tuple[str, bytes]:
        """Return the most frequent values of a facet, and which objects have them."""
        values = sorted(labels, key=lambda value: (-self.count_objects(facet, value), value))
        listed = [
            [value, labels[value], _gaps(self.objects_of(facet, value))]
            for value in values[:MAX_VALUES]
        ]
        body = {"values": listed, "more": max(0, len(values) - MAX_VALUES)}
        return facet_file_key(facet), _encode(body)

    def _chunks(self) -> Iterator[tuple[str, bytes]]:
        words: dict[str, str | list[str]] = {}
        stems: dict[str, list[list[int]]] = {}
        start, ends = "", False
        for term, of_word, postings in self._terms.merge():
            is_large = len(postings) > LARGE
            if (words or stems) and (ends or is_large or zlib.crc32(term.encode()) % KEYS == 0):
                yield start, _encode({"words": words, "stems": stems})
                start, words, stems = term, {}, {}
            ends = is_large
            if of_word and of_word != [term]:
                words[term] = of_word if len(of_word) > 1 else of_word[0]
            if postings:
                stems[term] = _by_level(postings)
            if ":" in term:
                self._lists.add(term, array("I", (one // _LEVELS for one in postings)))
        yield start, _encode({"words": words, "stems": stems})


def chunk_key(start: str) -> str:
    """Return the key of the chunk that begins with this word."""
    return f"{SEARCH_INDEX}words/{_hex(start)}.json"


def _hex(text: str) -> str:
    return text.encode().hex() or "0"


def _by_level(postings: Sequence[int]) -> list[list[int]]:
    """Return the numbers, ascending and as gaps, in three lists: those that count most first."""
    levels: list[array[int]] = [array("I") for _ in range(_LEVELS)]
    for one in postings:
        levels[one % _LEVELS].append(one // _LEVELS)
    return [_gaps(numbers) for numbers in levels]


def _gaps(numbers: Sequence[int]) -> list[int]:
    return [after - before for before, after in pairwise([0, *numbers])]
