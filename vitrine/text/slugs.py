"""Texts as parts of addresses, such as those of the lists of facets."""

import hashlib
from functools import lru_cache

from vitrine.text.folding import MAX_WORD_LENGTH, fold_text, list_words

REMEMBERED = 50_000
"""Texts of which slugs are kept in memory."""


@lru_cache(REMEMBERED)
def make_slug(text: str) -> str:
    """Return a text as a part of an address: its folded words with hyphens between them.

    What differs in case and diacritics only is one; a long text, or one without a letter, ends
    with characters that others do not have.
    """
    words = "-".join(list_words(fold_text(text)))
    if words and len(words) <= MAX_WORD_LENGTH * 2:
        return words
    return f"{words[: MAX_WORD_LENGTH * 2]}-{digest_text(text)}".lstrip("-")


def digest_text(text: str) -> str:
    """Return eight hexadecimal digits that hardly two of some thousand texts share."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]
