"""The index: words in chunks of the alphabet, cards by number, facets; each file is small JSON.

A query reads the directory, the chunks with its words, and the cards of the results on the screen.
Numbers of objects stay the same, and where a chunk begins depends on the word there alone: a change
of an object changes the chunks with its words, one file of cards, and nothing else. What a visitor
has of an older directory still fits the newest chunks. `site/search/index.js` reads it; the format
is described in docs/explanations/the-site.md.
"""

import zlib
from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence

import msgspec

from vitrine.present.pages.cards import Card, Labels
from vitrine.present.search.rows import IN_TEXT, LEVELS, FacetValue, Row
from vitrine.present.search.words import IGNORED
from vitrine.store.layout import SEARCH_INDEX

DIRECTORY = f"{SEARCH_INDEX}directory.json"
FORM = 1
CARDS = 32
"""Objects in a file of cards. A page of results reads up to twenty of them."""
KEYS = 192
"""Words of a chunk, on average."""
LARGE = 2_000
"""Objects of a word that has a chunk to itself."""
MOST_VALUES = 100
"""Values of a facet that are counted in results; its pages list all."""
_LEVELS = len(LEVELS)
_encode = msgspec.json.Encoder().encode
_decode_card = msgspec.json.Decoder(Card).decode


class Index:
    """Takes rows in any order, each with its number; then gives the files."""

    def __init__(self) -> None:
        self._postings: dict[str, array[int]] = defaultdict(lambda: array("I"))
        """By stem, or `facet:value`: number of an object, times three, plus how much it counts."""
        self._stems: dict[str, str | tuple[str, ...]] = {}
        """By word; several for a word of several languages."""
        self._cards: dict[int, bytes] = {}
        self.facets: dict[str, dict[str, Labels]] = {}
        """Labels of values, by the slugs of facet and value."""
        self.facet_labels: dict[str, Labels] = {}

    def add(self, row: Row) -> None:
        """Add an object that is to be found."""
        self._cards[row.number] = _encode(row.card)
        levels: dict[str, int] = {}
        for word, stem, level in row.words:
            if levels.get(stem, IN_TEXT) >= level:
                levels[stem] = level
            known = self._stems.get(word)
            if known is None:
                self._stems[word] = stem
            elif stem != known and (isinstance(known, str) or stem not in known):
                others = (known,) if isinstance(known, str) else known
                self._stems[word] = tuple(sorted({stem, *others}))
        for stem, level in levels.items():
            self._postings[stem].append(row.number * _LEVELS + level)
        self._add_facets(row.number, row.facets)

    def _add_facets(self, number: int, facets: Sequence[FacetValue]) -> None:
        added = set()
        for one in facets:
            facet, value = slugs = one.slugs
            if slugs not in added:
                self.facet_labels.setdefault(facet, one.facet)
                self.facets.setdefault(facet, {}).setdefault(value, one.value)
                self._postings[f"{facet}:{value}"].append(number * _LEVELS)
                added.add(slugs)

    def __len__(self) -> int:
        return len(self._cards)

    def objects_of(self, facet: str, value: str) -> list[int]:
        """Return the numbers of the objects with a value, ascending."""
        return sorted(one // _LEVELS for one in self._postings.get(f"{facet}:{value}", ()))

    def count_objects(self, facet: str, value: str) -> int:
        """Return how many objects have a value."""
        return len(self._postings.get(f"{facet}:{value}", ()))

    def card(self, number: int) -> Card:
        """Return the card of an object."""
        return _decode_card(self._cards[number])

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Yield key and body of each file, the directory last."""
        yield from self._card_files()
        for facet in sorted(self.facets):
            yield self._facet_file(facet)
        starts = []
        for start, body in self._chunks():
            starts.append(start)
            yield chunk_key(start), body
        directory = {
            "form": FORM,
            "objects": len(self._cards),
            "cards": CARDS,
            "chunks": starts,
            "ignored": sorted(IGNORED),
            "facets": [[facet, self.facet_labels[facet]] for facet in sorted(self.facets)],
        }
        yield DIRECTORY, _encode(directory)

    def _card_files(self) -> Iterator[tuple[str, bytes]]:
        for place in sorted({number // CARDS for number in self._cards}):
            numbers = range(place * CARDS, (place + 1) * CARDS)
            body = b",".join(self._cards.get(number, b"0") for number in numbers)
            yield f"{SEARCH_INDEX}cards/{place}.json", b"[" + body + b"]"

    def _facet_file(self, facet: str) -> tuple[str, bytes]:
        """Return the most frequent values of a facet, and which objects have them."""
        values = sorted(
            self.facets[facet], key=lambda value: (-self.count_objects(facet, value), value)
        )
        listed = [
            [value, self.facets[facet][value], _gaps(self.objects_of(facet, value))]
            for value in values[:MOST_VALUES]
        ]
        body = {"values": listed, "more": max(0, len(values) - MOST_VALUES)}
        return f"{SEARCH_INDEX}facets/{_hex(facet)}.json", _encode(body)

    def _chunks(self) -> Iterator[tuple[str, bytes]]:
        words: dict[str, str | tuple[str, ...]] = {}
        stems: dict[str, list[list[int]]] = {}
        start, ends = "", False
        # In the order in which JavaScript compares texts.
        for key in sorted(self._stems.keys() | self._postings.keys(), key=_utf16):
            postings = self._postings.get(key, ())
            is_large = len(postings) > LARGE
            if (words or stems) and (ends or is_large or zlib.crc32(key.encode()) % KEYS == 0):
                yield start, _encode({"words": words, "stems": stems})
                start, words, stems = key, {}, {}
            ends = is_large
            if key in self._stems and self._stems[key] != key:
                words[key] = self._stems[key]
            if postings:
                stems[key] = _by_level(postings)
        yield start, _encode({"words": words, "stems": stems})


def chunk_key(start: str) -> str:
    """Return the key of the chunk that begins with this word."""
    return f"{SEARCH_INDEX}words/{_hex(start)}.json"


def _hex(text: str) -> str:
    return text.encode().hex() or "0"


def _utf16(text: str) -> bytes:
    return text.encode("utf-16-be")


def _by_level(postings: "array[int] | tuple[()]") -> list[list[int]]:
    """Return the numbers, ascending and as gaps, in three lists: those that count most first."""
    levels: list[list[int]] = [[] for _ in range(_LEVELS)]
    for one in sorted(postings):
        levels[one % _LEVELS].append(one // _LEVELS)
    return [_gaps(numbers) for numbers in levels]


def _gaps(numbers: list[int]) -> list[int]:
    return [after - before for before, after in zip([0, *numbers], numbers, strict=False)]
