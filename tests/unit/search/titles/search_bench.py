"""Objects with facets, and what is in the index of their site."""

import json
from typing import Any

from tests.unit.catalogue.object_bench import BASE, IMAGES, ObjectBench, book
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.catalogue.statements import Catalogue
from vitrine.iiif.presentation.model import PublishedObject, Statement
from vitrine.ports import ObjectInfo
from vitrine.search.titles.update import SearchUpdate, update_search
from vitrine.store.revisions import list_entries
from vitrine.store.site_layout import SEARCH_STATE


class CountedSite(MemoryObjectStore):
    """A bucket that remembers which keys were read and put."""

    def __init__(self) -> None:
        super().__init__()
        self.reads: list[str] = []
        self.puts: list[str] = []

    def get(self, key: str) -> tuple[bytes, ObjectInfo]:
        self.reads.append(key)
        return super().get(key)

    def put(self, key: str, *arguments: Any, **options: Any) -> ObjectInfo:
        self.puts.append(key)
        return super().put(key, *arguments, **options)


class SearchBench(ObjectBench):
    """An environment whose site counts."""

    def __init__(self) -> None:
        super().__init__(*IMAGES)
        self.site = CountedSite()
        self.publisher = type(self.publisher)(
            site=self.site,
            records=self.records,
            catalogue=Catalogue(self.catalogue, self.publisher.journal),
            identifiers=self.identifiers,
            events=self.events,
            presentation=self.publisher.presentation,
        )
        self.objects = type(self.objects)(self.publisher)

    def update(self, **options: Any) -> SearchUpdate:
        self.site.reads.clear()
        self.site.puts.clear()
        return update_search(self.site, BASE, **options)

    def written(self) -> list[str]:
        """The files that the last update wrote, without its own notes."""
        return sorted(key for key in self.site.puts if not key.startswith(SEARCH_STATE))

    def files(self) -> dict[str, bytes]:
        """All files of search and facets."""
        entries = (*list_entries(self.site, "search/"), *list_entries(self.site, "browse/"))
        return {one.key: self.site.get(one.key)[0] for one in entries}

    def json(self, name: str) -> Any:
        return json.loads(self.site.get(f"search/index/{name}.json")[0])

    def page(self, key: str) -> str:
        return str(self.site.get(key)[0].decode())


def print_(identifier: str, title: str, **facets: str) -> PublishedObject:
    """An object with these facets; several values have semicolons between them."""
    lines = tuple(
        Statement(
            label={"en": (name.capitalize(),)}, value={"en": tuple(text.split(";"))}, facet=True
        )
        for name, text in facets.items()
    )
    return book(identifier, title, metadata=lines)
