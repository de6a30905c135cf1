"""The words of a text, as the index has them: folded, and reduced to their stems.

`site/search/words.js` folds what a visitor types in the same way; one table of examples tests both.
Stems are made here alone: the index leads from each word that occurs to its stem.
"""

import tomllib
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from threading import Lock

import snowballstemmer

from vitrine.text.folding import MAX_WORD_LENGTH, fold_text, list_signs, split_runs

REMEMBERED = 50_000
"""Words and texts of which stems and slugs are kept in memory."""
_STEMMERS = {
    "da": "danish",
    "de": "german",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "sv": "swedish",
}
"""Snowball's, by language."""
_STEMMING = Lock()
"""A stemmer has the word that it is at in itself, and rows are made by several threads."""
_LISTS = tomllib.loads(Path(__file__).with_name("ignored.toml").read_text(encoding="utf-8"))
IGNORED = frozenset(word for words in _LISTS.values() for word in words.split())
"""Words that nearly every text has, folded: neither indexed nor searched."""


def split_words(text: str) -> Iterator[str]:
    """Yield the folded words of a text, in order; of scripts without spaces, pairs of signs."""
    for run, is_unspaced in split_runs(text):
        if not is_unspaced:
            yield run[:MAX_WORD_LENGTH]
            continue
        signs = list_signs(run)
        # The last one is alone, so that each is the beginning of something.
        yield from ("".join(signs[place : place + 2]) for place in range(len(signs)))


@lru_cache(REMEMBERED)
def stem_word(word: str, language: str) -> str:
    """Return the stem of a folded word; the word itself in languages without a stemmer.

    `language` is a tag of BCP 47, or none.
    """
    name = _STEMMERS.get(language.partition("-")[0].lower())
    if name is None or not word.isalpha():
        return word
    with _STEMMING:
        stem: str = _stemmer(name).stemWord(word)
    return fold_text(stem) or word


@cache
def _stemmer(name: str) -> "snowballstemmer.basestemmer.BaseStemmer":
    return snowballstemmer.stemmer(name)
