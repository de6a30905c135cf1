"""Objects made up for measurements of search, from the word statistics of real museums' tables.

Open tables of the National Gallery of Art, Tate and Williams College (CC0) have titles of four or
five words, descriptions and lines of metadata of thirty to ninety; their words follow Zipf's law.
Words are made of syllables, in three languages; makers, places and materials repeat as they do
there. The same seed makes the same objects.
"""

import random
from collections.abc import Iterator
from functools import cache
from itertools import accumulate

from vitrine.present.pages.cards import Card
from vitrine.present.search.rows import FacetValue, Row, weigh_words

SEED = 23
VOCABULARY = 60_000
MAKERS, PLACES, MATERIALS, TYPES = 8_000, 1_500, 300, 30
_ONSETS = [*"bcdfghjklmnprstvw", "br", "cl", "dr", "fl", "gr", "pl", "pr", "st", "tr", "sch", "ch"]
_VOWELS = ["a", "e", "i", "o", "u", "ei", "ou", "ie", "au", "é", "ü"]
_CODAS = ["n", "r", "s", "t", "l", "m", "nd", "rt", "ng", "ck", "st"]
_ENDINGS = {"en": ["", "", "s", "ing", "ed"], "de": ["", "", "en", "er"], "fr": ["", "", "s", "es"]}


@cache
def vocabulary() -> list[str]:
    """Return words, the most frequent first."""
    chance = random.Random(SEED)
    found: dict[str, None] = {}
    while len(found) < VOCABULARY:
        syllables = chance.choices((1, 2, 3), (1, 5, 4))[0]
        parts = [chance.choice(_ONSETS) + chance.choice(_VOWELS) for _ in range(syllables)]
        found["".join(parts) + chance.choice(_CODAS)] = None
    return list(found)


@cache
def _weights(count: int) -> list[float]:
    return list(accumulate(1 / (rank + 3) for rank in range(count)))


class Corpus:
    """Objects, one after the other."""

    def __init__(self, objects: int) -> None:
        self._objects = objects
        self._chance = random.Random(SEED + 1)
        words = vocabulary()
        self._makers = [self._name(words, 2) for _ in range(MAKERS)]
        self._places = [self._name(words, 1) for _ in range(PLACES)]
        self._materials = [" ".join(words[place : place + 3]) for place in range(MATERIALS)]
        self._types = [words[place].capitalize() for place in range(40, 40 + TYPES)]

    def rows(self) -> Iterator[tuple[Row, str]]:
        """Yield a row for each object, numbered from 0, and all of its text but the title."""
        for number in range(self._objects):
            yield self._row(number)

    def _row(self, number: int) -> tuple[Row, str]:
        chance = self._chance
        language = chance.choices(("en", "de", "fr"), (70, 15, 15))[0]
        label = self._text(chance.randint(2, 7), language).capitalize()
        maker, place = self._pick(self._makers), self._pick(self._places)
        material, sort = self._pick(self._materials), self._pick(self._types)
        year = str(chance.randint(1500, 1990))
        facets = [
            FacetValue({"en": name}, {"none": value})
            for name, value in (
                ("Maker", maker),
                ("Place", place),
                ("Material", material),
                ("Type", sort),
            )
        ]
        identifier = f"{year}.{number}"
        picture = f"/iiif/3/{identifier}/full/200,/0/default.jpg"
        line = f"{maker} · {year} · {material}"
        card = Card("manifest", identifier, {language: label}, line, picture, 200, 150)
        described = self._text(chance.randint(10, 60), language)
        texts = [
            (language, described),
            *(("none", text) for one in facets for text in one.value.values()),
        ]
        texts += [("none", year), ("none", identifier)]
        words = weigh_words([(language, label)], texts)
        row = Row(identifier, "v1", number, card, words, facets)
        return row, " ".join(text for _, text in texts)

    def _text(self, words: int, language: str) -> str:
        known = vocabulary()
        chosen = self._chance.choices(known, cum_weights=_weights(len(known)), k=words)
        endings = _ENDINGS[language]
        return " ".join(word + self._chance.choice(endings) for word in chosen)

    def _pick(self, values: list[str]) -> str:
        return self._chance.choices(values, cum_weights=_weights(len(values)))[0]

    def _name(self, words: list[str], parts: int) -> str:
        return " ".join(self._chance.choice(words).capitalize() for _ in range(parts))


def queries() -> list[str]:
    """Return queries of one to three words, frequent, middling and rare."""
    words = vocabulary()
    return [
        words[5],
        words[60],
        words[700],
        words[9_000],
        f"{words[8]} {words[90]}",
        f"{words[30]} {words[400]}",
        f"{words[12]} {words[70]} {words[25]}",
        words[250][:4],
    ]
