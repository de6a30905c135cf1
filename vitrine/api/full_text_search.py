"""Searches in the pages of all objects, as part of what answers searches in texts."""

from collections.abc import Callable, Mapping

from vitrine.api.http import ApiResponse, json_response
from vitrine.api.search_queries import list_ignored, read_motivation, read_number, read_text
from vitrine.iiif.presentation.addresses import Addresses
from vitrine.ports import ObjectStore
from vitrine.search.content.content_search import Json
from vitrine.search.content.motivations import read_motivations
from vitrine.search.content.query import parse_query
from vitrine.search.full_text.content_search import (
    FullTextRequest,
    TitlesOf,
    write_found_1,
    write_found_2,
)
from vitrine.search.full_text.search import FoundObjects, FullTextSearch
from vitrine.search.full_text.titles import PublishedTitles
from vitrine.store.layout import manifest_tag

LIFE = "public, max-age=60, s-maxage=300"
"""Lifetime of good answers. The edge drops them when an object changes that they show, by its tag;
a new object is found when they expire."""
LIFE_OF_NOTHING = "public, max-age=5"
"""Lifetime of answers without an object, which have no tag: an object published just after the
search is found soon."""


def answer_full_text(
    site: ObjectStore,
    full_text: FullTextSearch,
    to: Addresses,
    service: str,
    fields: Mapping[str, str],
) -> ApiResponse:
    """Answer a search in texts: other annotations are found inside their object.

    Raises InvalidRequest, TransientError and UnusableIndex.
    """
    searched = FullTextRequest(
        to=to,
        query=read_text(fields),
        motivation=read_motivation(fields),
        start=read_number(fields, "start", least=0),
        ignored=list_ignored(fields),
    )
    titles, phrases = PublishedTitles(site), parse_query(searched.query)
    requested = read_motivations(searched.motivation, int(service[-1]))
    if requested and not requested.has_text:
        phrases = ()
    found = full_text.find(phrases, searched.start, titles.admit)
    headers = {"cache-control": LIFE if found.items else LIFE_OF_NOTHING}
    if found.items:
        headers["cache-tag"] = ",".join(manifest_tag(item.identifier) for item in found.items)
    return json_response(200, FULL_TEXT_SERVICES[service](searched, found, titles.read), headers)


FULL_TEXT_SERVICES: Mapping[str, Callable[[FullTextRequest, FoundObjects, TitlesOf], Json]] = {
    "search-1": write_found_1,
    "search-2": write_found_2,
}
