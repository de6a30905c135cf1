"""Searches in objects that lie in memory."""

import json
from typing import Any

from tests.unit.search.content.content_bench import page
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.api.content_search import ContentSearchServices, answer
from vitrine.api.http import ApiRequest, ApiResponse
from vitrine.ports import ObjectStore
from vitrine.search.content.build import build_index
from vitrine.search.content.form import RemarkEntry
from vitrine.search.content.stored import StoredIndexes
from vitrine.search.full_text.search import FullTextSearch
from vitrine.store.layout import publication_key, text_index_key
from vitrine.store.publications import (
    Publication,
    Published,
    encode_publication,
)
from vitrine.text.transcription.page_text import PageText

BASE = "https://images.example.org"
BOOK = (
    page("There are two birds in the bush", "and one in the hand"),
    PageText(()),
    page("the hand", "is worth two", "BIRD birds birch"),
)


class Service:
    """Searches in objects that lie in memory."""

    def __init__(self) -> None:
        self.site = MemoryObjectStore()
        self.services = make_services(self.site)

    def publish(self, identifier: str, publication: Publication) -> None:
        """Let an identifier answer with this."""
        self.site.put(
            publication_key(identifier), encode_publication(publication), content_type="x/y"
        )

    def add_book(
        self,
        identifier: str,
        pages: tuple[PageText, ...],
        remarks: tuple[tuple[RemarkEntry, PageText], ...] = (),
        name: str = "1",
    ) -> None:
        """Publish an object with texts and annotations."""
        index = build_index(pages, remarks)
        self.site.put(text_index_key(identifier, name), index, content_type="x/y")
        self.publish(
            identifier, Published(revision=1, kind="manifest", documents={}, text_index=name)
        )

    def ask(self, path: str, query: str = "", method: str = "GET") -> ApiResponse:
        """Send a request as the edge does."""
        headers = {"x-public-base": BASE, "x-request-uri": path}
        request = ApiRequest(method=method, path="/", query=query, headers=headers, caller="")
        return answer(self.services, request)

    def read(self, path: str, query: str = "") -> Any:
        """Return the document of a good answer."""
        response = self.ask(path, query)
        assert response.status == 200, response.body
        return json.loads(response.body)


def make_services(site: ObjectStore) -> ContentSearchServices:
    """What searches work with."""
    indexes = StoredIndexes(site)
    return ContentSearchServices(site, indexes, FullTextSearch(site, indexes))
