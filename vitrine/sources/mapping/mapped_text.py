"""Texts of a row by a rule: filled in, split, trimmed, without what means nothing."""

import math
from collections.abc import Collection, Mapping

from vitrine.iiif.presentation.model import Texts
from vitrine.sources.mapping.template import Row
from vitrine.sources.mapping.text_rules import TextRule
from vitrine.text.allowed_html import clean_label, clean_value


def meaningful(row: Row, empty: Collection[str]) -> Row:
    """Return the row without cells that mean nothing, such as `n/a`."""
    return {
        name: [value for value in values if value.strip() and value.strip().lower() not in empty]
        for name, values in row.items()
    }


def map_texts(rule: TextRule, row: Row, *, may_be_html: bool = False) -> Texts:
    """Return the texts by language; each is kept once, and of HTML what is allowed, if any is."""
    clean = clean_value if may_be_html else clean_label
    texts: dict[str, tuple[str, ...]] = {}
    for piece in rule:
        values = list(texts.get(piece.language, ()))
        for value in piece.template.expand(row):
            parts = value.split(piece.split) if piece.split else [value]
            values += [text for part in parts if (text := clean(tidy(part))) and text not in values]
        if values:
            texts[piece.language] = tuple(values)
    return texts


def map_values(rule: TextRule, row: Row) -> list[str]:
    """Return the texts of all languages, in order, also empty ones between others of a cell.

    For lists that belong together, such as images and their alternative texts.
    """
    found = []
    for piece in rule:
        for value in piece.template.expand(row):
            parts = value.split(piece.split) if piece.split else [value]
            found += [tidy(part) for part in parts]
    return found


def tidy(text: str) -> str:
    """Return a text with single spaces; paragraphs stay apart."""
    lines = (" ".join(line.split()) for line in text.strip().splitlines())
    return "\n".join(line for line in lines if line)


def in_each(label: Mapping[str, str]) -> Texts:
    """Return a label, a text for each language, as texts."""
    return {language: (text,) for language, text in label.items()}


def read_number(text: str) -> float:
    """Return a number with a point or a comma; 0 of no text, and what is no number of another."""
    try:
        return float(text.replace(",", ".") or "0")
    except ValueError:
        return math.nan
