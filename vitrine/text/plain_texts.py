"""Texts of records in several languages, as plain text."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from vitrine.text.text_or_html import plain_text

ManyTexts = Mapping[str, Sequence[str]]
"""Texts by language."""
MAX_LINE_LENGTH = 120
VALUES_OF_LINE = 3


def plain_texts(texts: ManyTexts) -> Iterator[tuple[str, str]]:
    """Yield the texts with their languages, without markup, and none that is empty."""
    for language, values in texts.items():
        for text in values:
            if plain := plain_text(text):
                yield language, plain


def shorten(text: str, longest: int) -> str:
    """Return a text that is no longer than that, cut between words."""
    if len(text) <= longest:
        return text
    return text[: longest - 1].rpartition(" ")[0].rstrip(" ,;.:") + "…"


def describe_briefly(values: Iterable[ManyTexts], summary: ManyTexts) -> str:
    """Return how the metadata of an object begins, mostly maker and date, in one line.

    Of one without any, it is how its summary begins.
    """
    texts = (next(plain_texts(one), ("", ""))[1] for one in values)
    line = " · ".join([text for text in texts if text][:VALUES_OF_LINE])
    return shorten(line or next(plain_texts(summary), ("", ""))[1], MAX_LINE_LENGTH)
