"""Cards: what lists and results show of an object or collection."""

from dataclasses import replace

import msgspec

from vitrine.site.pages.collection_page import ListEntry
from vitrine.site.pages.pictures import PictureSources
from vitrine.site.pages.strings import strings
from vitrine.site.pages.wording import Wording, choose_wording
from vitrine.store.publications import Kind
from vitrine.store.site_layout import collection_page_key, object_page_key, page_path

Labels = dict[str, str]
"""A text by language, in the record's order. It has no markup: what looks like HTML is text."""


class Card(msgspec.Struct, frozen=True, array_like=True):
    """What a list of results shows of an object."""

    kind: Kind
    identifier: str
    label: Labels
    line: str
    """A few words more: the beginning of its metadata."""
    thumbnail: str
    """Path of a picture; empty for none."""
    width: int
    height: int


def choose_label(labels: Labels, language: str) -> Wording:
    """Return the text for a page in this language."""
    found = choose_wording({one: (text,) for one, text in labels.items()}, language)
    return replace(found, is_literal=True)


def show_card(card: Card, language: str, suffix: str) -> ListEntry:
    """Return a card as pages show it; `suffix` is what keys have of their language."""
    is_collection = card.kind == "collection"
    name = card.identifier
    key = (
        collection_page_key(name, language=suffix)
        if is_collection
        else object_page_key(name, suffix)
    )
    notes = [strings(language)["collection"]] if is_collection else []
    offer = None
    if card.thumbnail:
        choices = f"{card.thumbnail} {card.width}w"
        offer = PictureSources(card.thumbnail, choices, card.width, card.height)
    return ListEntry(
        page_path(key),
        choose_label(card.label, language),
        offer,
        " · ".join([*notes, *([card.line] if card.line else [])]),
    )
