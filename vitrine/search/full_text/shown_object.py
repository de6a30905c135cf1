"""An object of an answer, with words around what matches; both are from its own text index."""

from collections.abc import Sequence
from dataclasses import dataclass

from vitrine.errors import InvalidRequest
from vitrine.search.content.motivations import TEXT_ALONE
from vitrine.search.content.query import Phrase
from vitrine.search.content.search import Match, find_spans, match_page
from vitrine.search.content.stored import StoredIndexes
from vitrine.search.full_text.form import IndexedObject
from vitrine.store.layout import text_index_key

MATCHES_SHOWN = 3
"""Matches of an object, at most; all are on its first page that matches."""


@dataclass(frozen=True, slots=True)
class FoundObject:
    """An object that a query finds."""

    identifier: str
    index_name: str
    """Name of its text index."""
    pages: int
    """Number of pages that match."""
    matches: tuple[Match, ...]


def show_object(
    indexes: StoredIndexes,
    named: IndexedObject,
    phrases: Sequence[Phrase],
    pages: int,
    first_page: int,
) -> FoundObject | None:
    """Return an object with `pages` that have all words; None if none of them has all phrases.

    An object in which looking up a phrase would take too long has none. Raises ObjectMissing and
    UnusableIndex if its text index cannot be read, and TransientError.
    """
    has_phrase = any(len(phrase) > 1 for phrase in phrases)
    try:
        index = indexes.open(text_index_key(named.identifier, named.index))
        if has_phrase:
            spans = find_spans(index, phrases, TEXT_ALONE)
            if not spans:
                return None
            found = index.pages_with([begin for begin, _ in spans])
            first_page, pages = min(found), len(found)
        matches = match_page(index, first_page, phrases)[:MATCHES_SHOWN]
    except InvalidRequest:
        return None
    return FoundObject(named.identifier, named.index, pages, matches)
