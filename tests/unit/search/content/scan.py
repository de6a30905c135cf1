"""The search that reads everything: what the index has to find, found without one."""

import random
from bisect import bisect_left
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

from vitrine.search.content.form import RemarkEntry
from vitrine.search.content.query import Phrase, Term, parse_query
from vitrine.search.content.tokens import split_tokens
from vitrine.text.slugs import digest_text
from vitrine.text.transcription.page_text import Line, PageText, TextBox, Word

TEXT = ("supplementing",)
MOTIVATIONS = ("commenting", "tagging", "describing", "linking")
SYLLABLES = ("ba", "bé", "cho", "dra", "el", "fa", "gu", "hi", "jö", "ka", "lum", "mi", "漢", "字")


class Scan:
    """The folded words of each page of an object, and of each annotation behind them."""

    def __init__(
        self, pages: Sequence[PageText], remarks: Sequence[tuple[RemarkEntry, PageText]] = ()
    ) -> None:
        self.motivations: list[tuple[str, ...]] = [TEXT] * len(pages)
        self.motivations += [entry.motivations for entry, _ in remarks]
        pages = [*pages, *(page for _, page in remarks)]
        self.pages = [
            [
                token
                for line in page.lines
                for word in line.words
                for token in split_tokens(word.text)
            ]
            for page in pages
        ]
        self.starts = list(accumulate((len(page) + 1 for page in self.pages), initial=0))

    def find(self, query: str, motivations: Container[str] = ()) -> list[tuple[int, int]]:
        """Return first position and length of each match, as `find_spans` does.

        With `motivations`, of which a page has to have one.
        """
        phrases = parse_query(query)
        found: set[tuple[int, int]] = set()
        for start, page, has in zip(self.starts, self.pages, self.motivations, strict=False):
            if motivations and not any(one in motivations for one in has):
                continue
            places = [list(_find_places(one, page)) for one in phrases]
            if places and all(places):
                both = zip(phrases, places, strict=True)
                found |= {(start + place, len(one)) for one, several in both for place in several}
        return sorted(found)


def _find_places(phrase: Phrase, page: list[str]) -> Iterator[int]:
    """Yield where a phrase begins on a page."""
    first, *others = phrase
    for place, token in enumerate(page):
        if (token.startswith(first.text) if first.is_beginning else token == first.text) and (
            not others or _follows(others, page[place + 1 : place + len(phrase)])
        ):
            yield place


def _follows(terms: Sequence[Term], tokens: list[str]) -> bool:
    return len(tokens) == len(terms) and all(
        token.startswith(term.text) if term.is_beginning else token == term.text
        for term, token in zip(terms, tokens, strict=True)
    )


def make_vocabulary(seed: random.Random, size: int) -> list[str]:
    """Return made up words, some of which begin alike."""
    return sorted({"".join(seed.choices(SYLLABLES, k=seed.randint(1, 4))) for _ in range(size)})


def make_pages(
    seed: random.Random, words: Sequence[str], weights: Sequence[float], pages: int, length: int
) -> Iterator[PageText]:
    """Yield pages of lines of ten words, each with its box."""
    cumulated = list(accumulate(weights))
    for _ in range(pages):
        marks = [seed.random() * cumulated[-1] for _ in range(length)]
        texts = [words[bisect_left(cumulated, mark)] for mark in marks]
        yield PageText(
            tuple(
                Line(
                    tuple(
                        Word(text, (TextBox(240 * place + 20, 55 * line + 20, 20 * len(text), 40),))
                        for place, text in enumerate(texts[line * 10 : line * 10 + 10])
                    )
                )
                for line in range((length + 9) // 10)
            )
        )


def make_remarks(
    seed: random.Random, pages: Sequence[PageText], count: int
) -> list[tuple[RemarkEntry, PageText]]:
    """Return annotations in the order of their canvases, of words that some page has."""
    canvases = sorted(seed.choices(range(len(pages)), k=count))
    lines = [line for page in pages for line in page.lines]
    made = []
    for place, canvas in enumerate(canvases):
        words = seed.choice(lines).words[: seed.randint(1, 6)]
        motivations = tuple(seed.sample(MOTIVATIONS, seed.randint(1, 2)))
        entry = RemarkEntry(canvas, digest_text(str(place)), motivations)
        # As `write_words` has them: the first word has the places of all.
        first, *others = (Word(one.text) for one in words)
        line = Line((replace(first, boxes=(TextBox(7, 8, 9, 10),)), *others))
        made.append((entry, PageText((line,))))
    return made


def make_query(seed: random.Random, scan: Scan) -> str:
    """Return a query that mostly finds something: words, phrases and beginnings of a page."""
    page = seed.choice([page for page in scan.pages if page])
    parts = []
    for _ in range(seed.choice((1, 1, 1, 2, 2, 3))):
        place = seed.randrange(len(page))
        match seed.randrange(4):
            case 0:
                parts.append('"' + " ".join(page[place : place + seed.randint(1, 4)]) + '"')
            case 1:
                parts.append(page[place][: seed.randint(1, 4)] + "*")
            case 2:
                parts.append(f'"{page[place]} {page[min(place + 1, len(page) - 1)][:2]}*"')
            case _:
                parts.append(page[place] if seed.random() < 0.95 else page[place] + "x")
    return " ".join(parts)
