"""Objects made up for measurements of search, by the word statistics of real museums' tables.

Open tables of the National Gallery of Art, Tate and Williams College (CC0) have titles of four or
five words, descriptions and lines of metadata of thirty to ninety; their words follow Zipf's law.
Words are made of syllables, in three languages; makers, places and materials repeat as they do
there. The same seed makes the same objects.
"""

import random
from collections.abc import Iterator
from functools import cache
from itertools import accumulate

from vitrine.search.titles.rows import FacetValue, Row, weigh_words
from vitrine.site.pages.cards import Card

_SEED = 23
_VOCABULARY = 60_000
_MAKERS, _PLACES, _MATERIALS, _TYPES = 8_000, 1_500, 300, 30
_ONSETS = [*"bcdfghjklmnprstvw", "br", "cl", "dr", "fl", "gr", "pl", "pr", "st", "tr", "sch", "ch"]
_VOWELS = ["a", "e", "i", "o", "u", "ei", "ou", "ie", "au", "é", "ü"]
_CODAS = ["n", "r", "s", "t", "l", "m", "nd", "rt", "ng", "ck", "st"]
_ENDINGS = {"en": ["", "", "s", "ing", "ed"], "de": ["", "", "en", "er"], "fr": ["", "", "s", "es"]}


def make_rows(objects: int) -> Iterator[Row]:
    """Yield a row of the index for each object, numbered from 0."""
    maker = _RowMaker()
    return (maker.make(number) for number in range(objects))


@cache
def list_words() -> list[str]:
    """Return all words, the most frequent first."""
    chance = random.Random(_SEED)
    found: dict[str, None] = {}
    while len(found) < _VOCABULARY:
        syllables = chance.choices((1, 2, 3), (1, 5, 4))[0]
        parts = [chance.choice(_ONSETS) + chance.choice(_VOWELS) for _ in range(syllables)]
        found["".join(parts) + chance.choice(_CODAS)] = None
    return list(found)


@cache
def _weigh_ranks(count: int) -> list[float]:
    return list(accumulate(1 / (rank + 3) for rank in range(count)))


class _RowMaker:
    def __init__(self) -> None:
        self._chance = random.Random(_SEED + 1)
        words = list_words()
        self._facets = {
            "Maker": [self._make_name(words, 2) for _ in range(_MAKERS)],
            "Place": [self._make_name(words, 1) for _ in range(_PLACES)],
            "Material": [" ".join(words[place : place + 3]) for place in range(_MATERIALS)],
            "Type": [words[place].capitalize() for place in range(40, 40 + _TYPES)],
        }

    def make(self, number: int) -> Row:
        chance = self._chance
        language = chance.choices(("en", "de", "fr"), (70, 15, 15))[0]
        label = self._make_text(chance.randint(2, 7), language).capitalize()
        values = {facet: self._pick(known) for facet, known in self._facets.items()}
        year = str(chance.randint(1500, 1990))
        identifier = f"{year}.{number}"
        line = f"{values['Maker']} · {year} · {values['Material']}"
        picture = f"/iiif/3/{identifier}/full/200,/0/default.jpg"
        described = self._make_text(chance.randint(10, 60), language)
        texts = [(language, described), *(("none", value) for value in values.values())]
        return Row(
            identifier,
            "v1",
            number,
            Card("manifest", identifier, {language: label}, line, picture, 200, 150),
            weigh_words([(language, label)], [*texts, ("none", year), ("none", identifier)]),
            [FacetValue({"en": facet}, {"none": value}) for facet, value in values.items()],
        )

    def _make_text(self, words: int, language: str) -> str:
        chosen = (self._pick(list_words()) for _ in range(words))
        return " ".join(word + self._chance.choice(_ENDINGS[language]) for word in chosen)

    def _make_name(self, words: list[str], parts: int) -> str:
        return " ".join(self._chance.choice(words).capitalize() for _ in range(parts))

    def _pick(self, values: list[str]) -> str:
        return self._chance.choices(values, cum_weights=_weigh_ranks(len(values)))[0]
