"""Searches in texts as one function: a request in, an answer out, behind any server.

/inside/{2|3}/search-{1|2}?q=&motivation=&start=               IIIF Content Search in all objects
/inside/{2|3}/{identifier}/search-{1|2}?q=&motivation=&page=   IIIF Content Search
/inside/{2|3}/{identifier}/terms-{1|2}?q=&motivation=&min=     its autocomplete

The first number is the version of the Presentation API whose canvases an answer names, the last
one that of Content Search.
"""

import logging
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from heapq import nlargest

import msgspec

from vitrine.api.full_text_search import FULL_TEXT_SERVICES, answer_full_text
from vitrine.api.http import ApiRequest, ApiResponse, json_response
from vitrine.api.problems import Problem, problem_of, problem_response
from vitrine.api.search_queries import (
    MAX_ADDRESS_LENGTH,
    list_ignored,
    read_motivation,
    read_number,
    read_query,
    read_text,
)
from vitrine.errors import InvalidRequest, ObjectMissing, ServiceFailed
from vitrine.iiif.paths import decode_segment
from vitrine.iiif.presentation.addresses import INSIDE_ROOT, Addresses, inside_path
from vitrine.ports import ObjectStore
from vitrine.search.content.content_search import (
    Json,
    SearchRequest,
    write_matches_1,
    write_matches_2,
    write_terms_1,
    write_terms_2,
)
from vitrine.search.content.motivations import read_motivations
from vitrine.search.content.query import parse_query
from vitrine.search.content.ranged_blocks import UnusableIndex
from vitrine.search.content.search import Matches, find_matches
from vitrine.search.content.stored import StoredIndexes
from vitrine.search.content.text_index import TextIndex
from vitrine.search.full_text.search import FullTextSearch
from vitrine.store.layout import manifest_tag, publication_key, text_index_key
from vitrine.store.publications import (
    Moved,
    Publication,
    Published,
    Waiting,
    Withdrawn,
    decode_publication,
)
from vitrine.store.published_document import log_damage
from vitrine.text.folding import MAX_WORD_LENGTH, fold_text

logger = logging.getLogger(__name__)

LIFE = "public, max-age=60, s-maxage=300"
"""Lifetime of good answers: the edge drops them, by their tag, when the object changes. It is
minutes, since an answer that was on its way meanwhile is kept after that."""
MAX_TERMS = 20
_VERSIONS = {"2": 2, "3": 3}
_PREFLIGHT = {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "GET, HEAD, OPTIONS",
    "access-control-allow-headers": "*",
    "access-control-max-age": "86400",
}


@dataclass(frozen=True)
class ContentSearchServices:
    """What searches work with."""

    site: ObjectStore
    indexes: StoredIndexes
    full_text: FullTextSearch
    base_url: str = ""
    """Scheme and host of addresses; empty: those that the edge names."""


def answer(services: ContentSearchServices, request: ApiRequest) -> ApiResponse:
    """Answer a request. Defects raise; all else is an answer."""
    try:
        response = _answer_request(services, request)
    except InvalidRequest as error:
        response = problem_response(Problem("query-invalid", f"{error}."))
    except Exception as error:
        problem = problem_of(error)
        if problem is None:
            raise
        if isinstance(error, ServiceFailed):
            logger.error("A service of AWS failed a search: %s", error)
        response = problem_response(problem)
    headers = {"access-control-allow-origin": "*", **response.headers}
    return ApiResponse(status=response.status, headers=headers, body=response.body)


def _answer_request(services: ContentSearchServices, request: ApiRequest) -> ApiResponse:
    if request.method == "OPTIONS":
        return ApiResponse(status=204, headers=_PREFLIGHT)
    if request.method not in ("GET", "HEAD"):
        raise Problem("method-not-allowed", headers={"allow": "GET, HEAD, OPTIONS"})
    # The edge hands the address on as it was sent: what Lambda makes of a path is decoded.
    path = request.headers.get("x-request-uri", request.path)
    version, identifier, service = _parse_path(path)
    fields = read_query(request.query)
    base = services.base_url or request.headers.get("x-public-base", "")
    addresses = Addresses(base, version)
    if not identifier:
        return answer_full_text(services.site, services.full_text, addresses, service, fields)
    searched = _parse_search(fields, addresses, identifier)
    publication = _read_publication(services.site, identifier)
    tag = {"cache-tag": manifest_tag(identifier), "cache-control": LIFE}
    match publication:
        case Moved(target=target):
            location = inside_path(version, target, service)
            query = f"?{request.query}" if request.query else ""
            return ApiResponse(status=301, headers={"location": base + location + query, **tag})
        case Withdrawn(reason=reason):
            raise Problem("object-gone", reason)
        case Published(text_index=name) if name:
            key = text_index_key(identifier, name)
            try:
                document = _SERVICES[service](services.indexes.open(key), searched)
            except UnusableIndex as error:
                raise _note_damage(key, error) from error
            return json_response(200, document, tag)
        case Published():
            raise Problem("not-found", f'The pages of "{identifier}" have no text.')
        case Waiting() | None:
            raise Problem("no-object")


def _parse_path(path: str) -> tuple[int, str, str]:
    """Return version, identifier and service of an address; "" for that of all objects.

    Raises Problem and InvalidRequest.
    """
    if len(path) > MAX_ADDRESS_LENGTH:
        raise InvalidRequest(f"an address has at most {MAX_ADDRESS_LENGTH:,} bytes")
    match path.removeprefix(INSIDE_ROOT).split("/"):
        case [version, name, service] if version in _VERSIONS and service in _SERVICES and name:
            identifier = unicodedata.normalize("NFC", decode_segment(name))
            return _VERSIONS[version], identifier, service
        case [version, service] if version in _VERSIONS and service in FULL_TEXT_SERVICES:
            return _VERSIONS[version], "", service
        case _:
            raise Problem("not-found")


def _parse_search(fields: Mapping[str, str], to: Addresses, identifier: str) -> SearchRequest:
    return SearchRequest(
        to=to,
        identifier=identifier,
        query=read_text(fields),
        motivation=read_motivation(fields),
        page=read_number(fields, "page"),
        minimum=read_number(fields, "min"),
        ignored=list_ignored(fields),
    )


def _read_publication(site: ObjectStore, identifier: str) -> Publication | None:
    """Return what is published; None for nothing. Raises Problem and TransientError."""
    key = publication_key(identifier)
    try:
        return decode_publication(site.get(key)[0])
    except ObjectMissing:
        return None
    except msgspec.DecodeError as error:
        raise _note_damage(key, error) from error


def _note_damage(key: str, error: Exception) -> Problem:
    """Name in the log what is damaged, and return what the answer says of it."""
    log_damage(key, error)
    return Problem("damaged")


def _read_matches(index: TextIndex, searched: SearchRequest, version: int) -> Matches:
    requested = read_motivations(searched.motivation, version)
    return find_matches(index, parse_query(searched.query), searched.page, requested)


def _read_terms(index: TextIndex, searched: SearchRequest, version: int) -> list[tuple[str, int]]:
    """Return the words that begin like this, in order; the most frequent if there are many."""
    beginning = fold_text(searched.query)
    requested = read_motivations(searched.motivation, version)
    if not beginning or len(beginning) > MAX_WORD_LENGTH:
        return []
    terms = [term for term in index.complete(beginning, requested) if term[1] >= searched.minimum]
    return sorted(nlargest(MAX_TERMS, terms, key=lambda term: term[1]))


def _search_1(index: TextIndex, searched: SearchRequest) -> Json:
    return write_matches_1(searched, _read_matches(index, searched, 1))


def _search_2(index: TextIndex, searched: SearchRequest) -> Json:
    return write_matches_2(searched, _read_matches(index, searched, 2))


_SERVICES: Mapping[str, Callable[[TextIndex, SearchRequest], Json]] = {
    "search-1": _search_1,
    "search-2": _search_2,
    "terms-1": lambda index, searched: write_terms_1(searched, _read_terms(index, searched, 1)),
    "terms-2": lambda index, searched: write_terms_2(searched, _read_terms(index, searched, 2)),
}
