"""A row of the index: what search and the lists of a facet need to know of an object."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from urllib.parse import unquote

import msgspec

from vitrine.iiif.presentation.addresses import COLLECTION, NEWEST, ROOT
from vitrine.search.titles.map_cells import describe_cell, find_cell
from vitrine.search.titles.words import IGNORED, stem_word
from vitrine.site.pages.cards import Card
from vitrine.site.pages.facet_values import (
    MAX_FACETS,
    PLACE_LABELS,
    find_decade,
    first_texts,
    list_facet_values,
)
from vitrine.site.pages.facet_values import FacetValue as FacetValue
from vitrine.store.publications import Kind, Publication, Published
from vitrine.store.published_document import DocumentThumbnail, PublishedDocument, read_document
from vitrine.text.folding import split_words
from vitrine.text.plain_texts import describe_briefly, plain_texts

MAX_TEXT_LENGTH = 20_000
"""Characters of an object that are searched; the rest of a longer description is not."""
SHORT_TITLE = 3
"""Words of a title in which each word says most of what the object is."""
IN_SHORT_TITLE, IN_LONG_TITLE, IN_TEXT = LEVELS = (0, 1, 2)
"""Places of a word; the lower, the more it counts."""
Word = tuple[str, str, int]
"""A word, its stem in the language of its text, and where it is."""


class Row(msgspec.Struct, frozen=True, array_like=True):
    """What is published under an identifier."""

    identifier: str
    version: str
    """Version of the publication that it was made of, in the bucket."""
    number: int = -1
    """Its number in the index, which stays the same; -1 before it has one."""
    card: Card | None = None
    """None for what is not to be found: it moved, was withdrawn, or waits for its images."""
    words: Sequence[Word] = ()
    facets: Sequence[FacetValue] = ()
    collections: Sequence[str] = ()
    """Identifiers of the collections that it says it belongs to."""
    cell: str = ""
    """Cell of the map that it is in; empty for none."""


def make_row(identifier: str, version: str, publication: Publication, base: str) -> Row:
    """Return the row of what is published; `base` is scheme and host of its addresses.

    Raises UnusablePublication.
    """
    if not isinstance(publication, Published):
        return Row(identifier, version)
    document = read_document(publication)
    place = next(iter(document.nav_place.features), None)
    cell = find_cell(*place.geometry.coordinates) if place else ""
    metadata, required = document.metadata, document.required_statement
    texts = [
        *plain_texts(document.summary),
        *(text for line in metadata for text in plain_texts(line.value)),
        *(plain_texts(required.value) if required else ()),
        ("none", identifier),
    ]
    return Row(
        identifier,
        version,
        card=_make_card(identifier, publication.kind, document, base),
        words=weigh_words(plain_texts(document.label), _first_characters(texts)),
        facets=_list_facets(document, publication.facets, cell),
        cell=cell,
        collections=[_name_of_collection(one.id, base) for one in document.part_of[:MAX_FACETS]],
    )


def _list_facets(
    document: PublishedDocument, numbers: Sequence[int], cell: str
) -> list[FacetValue]:
    """Return what an object is listed by: some lines of its metadata, its decade, its place."""
    lines = (document.metadata[number] for number in numbers)
    values = list_facet_values((one.label, one.value) for one in lines)
    listed = [
        *islice(filter(None, values), MAX_FACETS),
        find_decade(document.nav_date),
        *(
            FacetValue(PLACE_LABELS, first_texts(place.properties.label) or describe_cell(cell))
            for place in document.nav_place.features[:1]
        ),
    ]
    return list(filter(None, listed))


def _name_of_collection(address: str, base: str) -> str:
    """Return the identifier in the address of a collection's document."""
    root = f"{base}{ROOT}{NEWEST}/"
    return unquote(address.removeprefix(root).removesuffix(f"/{COLLECTION}"))


def weigh_words(labels: Iterable[tuple[str, str]], texts: Iterable[tuple[str, str]]) -> list[Word]:
    """Return the words of titles and other texts, each of which comes with its language."""
    levels: dict[tuple[str, str], int] = {}

    def weigh(words: Iterable[str], language: str, level: int) -> None:
        for word in words:
            key = word, stem_word(word, language)
            levels[key] = min(level, levels.get(key, level))

    for language, text in texts:
        weigh(_significant(text), language, IN_TEXT)
    for language, text in labels:
        words = list(_significant(text))
        weigh(words, language, IN_LONG_TITLE if len(words) > SHORT_TITLE else IN_SHORT_TITLE)
    return [(word, stem, level) for (word, stem), level in levels.items()]


def _significant(text: str) -> Iterator[str]:
    return (word for word in split_words(text) if word not in IGNORED)


def _make_card(identifier: str, kind: Kind, document: PublishedDocument, base: str) -> Card:
    shown = document.find_thumbnail() or DocumentThumbnail("")
    return Card(
        kind,
        identifier,
        first_texts(document.label) or {"none": identifier},
        describe_briefly((line.value for line in document.metadata), document.summary),
        shown.id.removeprefix(base),
        shown.width,
        shown.height,
    )


def _first_characters(texts: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    left = MAX_TEXT_LENGTH
    for language, text in texts:
        if left > 0:
            yield language, text[:left]
        left -= len(text)
