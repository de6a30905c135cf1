"""Answers of IIIF Content Search 1.0 and 2.0 across objects.

As those inside an object, but that each annotation says which object its canvas is of: https://
iiif.io/api/search/2.0/ and 1.0, "Target Resource Structure". An answer has some matches of each
object, so nobody knows how many annotations there are: no `total`. `found`, a property of our own,
counts objects and pages.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from vitrine.iiif.presentation.addresses import Addresses
from vitrine.search.content.content_search import (
    PRESENTATION_2,
    SEARCH_1,
    SEARCH_2,
    Json,
    Place,
    SearchRequest,
    describe_matches_1,
    describe_matches_2,
    write_motivation,
)
from vitrine.search.full_text.search import FoundObjects
from vitrine.search.full_text.shown_object import FoundObject
from vitrine.search.full_text.titles import Titles

TitlesOf = Callable[[str, int], Titles]
"""(identifier, version of the Presentation API) -> how its published document names its parts."""


@dataclass(frozen=True, kw_only=True)
class FullTextRequest:
    """A request as its answer repeats it."""

    to: Addresses
    query: str
    motivation: str = ""
    """Motivations that are requested; empty: all."""
    start: int = 0
    """Place in the ranking at which the answer begins."""
    ignored: Sequence[str] = ()
    """Parameters of the standard that came and are not heeded."""

    def address(self, service: str, start: int = 0) -> str:
        """Return the address of the answer that begins there."""
        more = f"&start={start}" if start else ""
        requested = write_motivation(self.motivation)
        return f"{self.to.full_text(service)}?q={quote(self.query, safe='')}{requested}{more}"


def write_found_1(searched: FullTextRequest, found: FoundObjects, titles: TitlesOf) -> Json:
    """Return an annotation list with its hits."""
    layer: Json = {
        "@type": "sc:Layer",
        "first": searched.address("search-1"),
        "found": _count(found),
    }
    if searched.ignored:
        layer["ignored"] = list(searched.ignored)
    document: Json = {
        "@context": [PRESENTATION_2, SEARCH_1],
        "@id": searched.address("search-1", searched.start),
        "@type": "sc:AnnotationList",
        "within": layer,
        "resources": [],
        "hits": [],
    }
    if found.next:
        document["next"] = searched.address("search-1", found.next)
    for item in found.items:
        place = _place_1(searched, item, titles(item.identifier, 2))
        resources, hits = describe_matches_1(_inside(searched, item), item.matches, place)
        document["resources"] += resources
        document["hits"] += hits
    return document


def write_found_2(searched: FullTextRequest, found: FoundObjects, titles: TitlesOf) -> Json:
    """Return an annotation page, with a second one of the words around each match."""
    document: Json = {
        "@context": SEARCH_2,
        "id": searched.address("search-2", searched.start),
        "type": "AnnotationPage",
        # A list, as in an answer inside an object.
        "partOf": [
            {
                "id": searched.address("search-2"),
                "type": "AnnotationCollection",
                "first": {"id": searched.address("search-2"), "type": "AnnotationPage"},
                "found": _count(found),
            }
        ],
    }
    if searched.ignored:
        document["ignored"] = list(searched.ignored)
    if found.next:
        document["next"] = {
            "id": searched.address("search-2", found.next),
            "type": "AnnotationPage",
        }
    items: list[Json] = []
    contexts: list[Json] = []
    for item in found.items:
        place = _place_2(searched, item, titles(item.identifier, 3))
        several = describe_matches_2(_inside(searched, item), item.matches, place)
        items += several[0]
        contexts += several[1]
    document["items"] = items
    document["annotations"] = [{"type": "AnnotationPage", "items": contexts}]
    return document


def _place_1(searched: FullTextRequest, item: FoundObject, titles: Titles) -> Place:
    manifest = {
        "@id": searched.to.manifest(item.identifier),
        "@type": "sc:Manifest",
        "label": titles.label,
        "found": {"pages": item.pages},
    }
    return lambda part, match: {
        "@id": part,
        "@type": "sc:Canvas",
        **_labelled(titles.canvas(match.page)),
        "within": manifest,
    }


def _place_2(searched: FullTextRequest, item: FoundObject, titles: Titles) -> Place:
    manifest = {
        "id": searched.to.manifest(item.identifier),
        "type": "Manifest",
        "label": titles.label,
        "found": {"pages": item.pages},
    }
    return lambda part, match: {
        "id": part,
        "type": "Canvas",
        **_labelled(titles.canvas(match.page)),
        "partOf": [manifest],
    }


def _count(found: FoundObjects) -> Json:
    return {"objects": found.total, "pages": found.pages, "isExact": found.is_exact}


def _inside(searched: FullTextRequest, item: FoundObject) -> SearchRequest:
    return SearchRequest(to=searched.to, identifier=item.identifier, query=searched.query)


def _labelled(label: Any) -> Json:
    return {"label": label} if label else {}
