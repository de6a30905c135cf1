"""What of a text can be found: its folded words, each at a position.

Of scripts without spaces every sign is a word of its own, so that it does not matter how OCR cut
them: a query of several signs is a phrase.
"""

from collections.abc import Iterator

from vitrine.present.folding import LONGEST, fold_text, list_signs, list_words, split_runs


def split_tokens(text: str) -> Iterator[str]:
    """Yield the folded words of a text, in order."""
    for word in list_words(fold_text(text)):
        if word.isascii():
            yield word[:LONGEST]
            continue
        for run, is_unspaced in split_runs(word):
            if is_unspaced:
                yield from (sign[:LONGEST] for sign in list_signs(run))
            else:
                yield run[:LONGEST]
