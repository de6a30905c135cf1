"""The facets of the search, as its index lists them: a file for each, and a directory."""

import msgspec

from vitrine.errors import ObjectMissing
from vitrine.ports import ObjectStore
from vitrine.site.pages.browse_page import Facet, FacetWithValues, Value
from vitrine.site.pages.cards import Labels
from vitrine.site.pages.facet_values import PART_OF
from vitrine.store.site_layout import SEARCH_INDEX

DIRECTORY = f"{SEARCH_INDEX}directory.json"
"""Key of the file that lists the parts of the index."""
PLACES = f"{SEARCH_INDEX}places.json"
"""Key of the file that counts the objects in each cell of the map."""


class _FacetDirectory(msgspec.Struct):
    facets: list[tuple[str, Labels]] = []


class _FacetFile(msgspec.Struct):
    values: list[tuple[str, Labels, list[int]]] = []


def facet_file_key(facet: str) -> str:
    """Return the key of the file with the most frequent values of a facet, by its slug."""
    return f"{SEARCH_INDEX}facets/{facet.encode().hex()}.json"


def read_facets(store: ObjectStore) -> list[FacetWithValues]:
    """Return the facets of the index that is stored, but for collections, with their most frequent
    values; none without an index.
    """
    directory = msgspec.json.decode(_read(store, DIRECTORY), type=_FacetDirectory)
    return [
        (Facet(slug, labels), _read_values(store, slug))
        for slug, labels in directory.facets
        if slug != PART_OF
    ]


def _read_values(store: ObjectStore, facet: str) -> list[Value]:
    listed = msgspec.json.decode(_read(store, facet_file_key(facet)), type=_FacetFile)
    return [Value(slug, labels, len(objects)) for slug, labels, objects in listed.values]


def _read(store: ObjectStore, key: str) -> bytes:
    try:
        return store.get(key)[0]
    except ObjectMissing:
        return b"{}"
