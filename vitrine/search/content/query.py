"""What somebody searches for: words, "phrases" and beginnings*."""

import re
from dataclasses import dataclass

from vitrine.errors import InvalidRequest
from vitrine.search.content.tokens import split_tokens

MAX_QUERY_LENGTH = 200
"""Characters."""
MAX_WORDS = 16
"""Words of a query, those of its phrases together; signs of scripts without spaces count as words.
"""
_PART = re.compile(r'"([^"]*)"|([^\s"]+)')


@dataclass(frozen=True, slots=True)
class Term:
    """A word, or all words that begin like this."""

    text: str
    is_beginning: bool = False

    def fits(self, word: str) -> bool:
        """Return whether a folded word is this one, or begins like this."""
        return word.startswith(self.text) if self.is_beginning else word == self.text


Phrase = tuple[Term, ...]
"""Terms that follow each other; most are of one."""


def parse_query(query: str) -> tuple[Phrase, ...]:
    """Return what has to be on a page, each once; nothing for a query without a word.

    What punctuation divides, such as `l'été`, is a phrase. Raises InvalidRequest for a query that
    is too long.
    """
    if len(query) > MAX_QUERY_LENGTH:
        raise InvalidRequest(f"a query has at most {MAX_QUERY_LENGTH} characters")
    phrases: dict[Phrase, None] = {}
    for found in _PART.finditer(query):
        phrase = tuple(_parse_phrase(found[1] if found[1] is not None else found[2]))
        if phrase:
            phrases[phrase] = None
    if sum(map(len, phrases)) > MAX_WORDS:
        raise InvalidRequest(f"a query has at most {MAX_WORDS} words")
    return tuple(phrases)


def _parse_phrase(text: str) -> "list[Term]":
    terms: list[Term] = []
    *starred, rest = text.split("*")
    for piece in starred:
        terms += map(Term, split_tokens(piece))
        # A star is its word's if it follows a letter or a mark of one.
        if terms and piece and not piece[-1].isspace():
            terms[-1] = Term(terms[-1].text, is_beginning=True)
    return [*terms, *map(Term, split_tokens(rest))]
