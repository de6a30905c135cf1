"""The words of a text, as the index has them: folded, and reduced to their stems.

`site/search/words.js` folds what a visitor types in the same way; one table of examples tests both.
Stems are made here alone: the index leads from each word that occurs to its stem.
"""

import tomllib
from functools import cache, lru_cache
from pathlib import Path
from threading import Lock

import snowballstemmer

from vitrine.text.folding import fold_text

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
