"""The facets of the search, as its index lists them."""

import msgspec

from vitrine.errors import ObjectMissing
from vitrine.ports import ObjectStore
from vitrine.site.pages.cards import Labels
from vitrine.site.pages.search_page import Facet
from vitrine.store.site_layout import SEARCH_INDEX

DIRECTORY = f"{SEARCH_INDEX}directory.json"
"""Key of the file that lists the parts of the index."""


class _FacetDirectory(msgspec.Struct):
    facets: list[tuple[str, Labels]]


def read_facets(store: ObjectStore) -> list[Facet]:
    """Return the facets of the index that is stored; none if there is no index."""
    try:
        body, _ = store.get(DIRECTORY)
    except ObjectMissing:
        return []
    directory = msgspec.json.decode(body, type=_FacetDirectory)
    return [Facet(slug, labels) for slug, labels in directory.facets]
