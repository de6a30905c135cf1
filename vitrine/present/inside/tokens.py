"""What of a text can be found: its folded words, each at a position.

Of scripts without spaces every sign is a word of its own, so that it does not matter how OCR cut
them: a query of several signs is a phrase.
"""

from collections.abc import Iterator

from vitrine.present.folding import LONGEST, WITHOUT_SPACES, WORD, fold_text


def split_tokens(text: str) -> Iterator[str]:
    """Yield the folded words of a text, in order."""
    folded = fold_text(text)
    for found in WORD.finditer(folded):
        word, start = found[0], 0
        if word.isascii():
            yield word[:LONGEST]
            continue
        for run in WITHOUT_SPACES.finditer(word):
            if run.start() > start:
                yield word[start : run.start()][:LONGEST]
            yield from run[0]
            start = run.end()
        if start < len(word):
            yield word[start:][:LONGEST]
