"""Answers of IIIF Content Search 1.0 and 2.0.

https://iiif.io/api/search/1.0/ and https://iiif.io/api/search/2.0/. In both, `total` counts
matches; a match on two lines is two annotations. One in an annotation that is not text of the page
is that annotation, once in an answer however often it matches.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from vitrine.iiif.presentation.addresses import Addresses
from vitrine.iiif.presentation.remarks import motivation_2, remark_name, targets_of
from vitrine.search.content.search import PAGE_OF_MATCHES, Match, Matches

PRESENTATION_2 = "http://iiif.io/api/presentation/2/context.json"
SEARCH_1 = "http://iiif.io/api/search/1/context.json"
SEARCH_2 = "http://iiif.io/api/search/2/context.json"
Json = dict[str, Any]
Place = Callable[[str, Match], Json | str]
"""(URI of a part of a canvas, what matches there) -> the target of the annotation."""


def on_canvas(part: str, match: Match) -> str:
    """Return the part itself: the reader of an answer knows the object."""
    return part


def write_motivation(motivation: str) -> str:
    """Return motivations as the end of a query."""
    return f"&motivation={quote(motivation, safe='')}" if motivation else ""


@dataclass(frozen=True, kw_only=True)
class SearchRequest:
    """A request as its answer repeats it."""

    to: Addresses
    identifier: str
    query: str
    motivation: str = ""
    """Motivations that are requested; empty: all."""
    page: int = 1
    minimum: int = 1
    """Least occurrences of a term."""
    ignored: Sequence[str] = ()
    """Parameters of the standard that came and are not heeded."""

    def address(self, service: str, *, page: int = 1, query: str | None = None) -> str:
        """Return the address of a page of answers."""
        text = quote(self.query if query is None else query, safe="")
        more = write_motivation(self.motivation) + (f"&page={page}" if page > 1 else "")
        return f"{self.to.inside(self.identifier, service)}?q={text}{more}"

    def part(self, kind: str, name: str) -> str:
        """Return the URI of an annotation."""
        return self.to.part(self.identifier, kind, name)


def write_matches_1(searched: SearchRequest, found: Matches) -> Json:
    """Return an annotation list with its hits."""
    addresses = _page_addresses(searched, found, "search-1")
    layer: Json = {"@type": "sc:Layer", "total": found.total}
    layer |= {name: addresses[name] for name in ("first", "last")}
    if searched.ignored:
        layer["ignored"] = list(searched.ignored)
    document: Json = {
        "@context": [PRESENTATION_2, SEARCH_1],
        "@id": addresses["this"],
        "@type": "sc:AnnotationList",
        "within": layer,
        "startIndex": found.first,
    }
    document |= {name: addresses[name] for name in ("next", "prev") if name in addresses}
    document["resources"], document["hits"] = describe_matches_1(searched, found.items)
    return document


def write_matches_2(searched: SearchRequest, found: Matches) -> Json:
    """Return an annotation page, with a second one of the words around each match."""
    addresses = _page_addresses(searched, found, "search-2")
    document: Json = {
        "@context": SEARCH_2,
        "id": addresses["this"],
        "type": "AnnotationPage",
        # A list, as Presentation 3.0 has it: Clover stops at an object, which Search 2.0 shows.
        "partOf": [
            {
                "id": addresses["first"],
                "type": "AnnotationCollection",
                "total": found.total,
                "first": _page_2(addresses["first"]),
                "last": _page_2(addresses["last"]),
            }
        ],
    }
    if searched.ignored:
        document["ignored"] = list(searched.ignored)
    for name in ("next", "prev"):
        if name in addresses:
            document[name] = _page_2(addresses[name])
    document["items"], contexts = describe_matches_2(searched, found.items)
    document["annotations"] = [{"type": "AnnotationPage", "items": contexts}]
    return document


def describe_matches_1(
    searched: SearchRequest, matches: Sequence[Match], place: Place = on_canvas
) -> tuple[list[Json], list[Json]]:
    """Return the annotations of matches, and their hits; `place` writes where each is."""
    resources: dict[str, Json] = {}
    hits = []
    for match in matches:
        targets = _targets(searched, match)
        remark = match.remark
        for name, parts in targets:
            resources[name] = {
                "@id": name,
                "@type": "oa:Annotation",
                "motivation": (
                    _one_or_list([motivation_2(one) for one in remark.motivations])
                    if remark
                    else "sc:painting"
                ),
                "resource": {
                    "@type": "cnt:ContentAsText",
                    "format": "text/plain",
                    "chars": remark.text if remark else match.text,
                },
                "on": _one_or_list([place(part, match) for part in parts]),
            }
        hits.append(
            {
                "@type": "search:Hit",
                "annotations": [name for name, _ in targets],
                "match": match.text,
                "before": match.before,
                "after": match.after,
            }
        )
    return list(resources.values()), hits


def describe_matches_2(
    searched: SearchRequest, matches: Sequence[Match], place: Place = on_canvas
) -> tuple[list[Json], list[Json]]:
    """Return the annotations of matches, and those with the words around each; as above."""
    items: dict[str, Json] = {}
    contexts = []
    for match in matches:
        targets = _targets(searched, match)
        remark = match.remark
        text = remark.text if remark else match.text
        for name, parts in targets:
            items[name] = {
                "id": name,
                "type": "Annotation",
                "motivation": _one_or_list(remark.motivations) if remark else "supplementing",
                "body": {"type": "TextualBody", "value": text, "format": "text/plain"},
                "target": _one_or_list([place(part, match) for part in parts]),
            }
        contexts.append(_context_2(searched, match, [name for name, _ in targets]))
    return list(items.values()), contexts


def write_terms_1(searched: SearchRequest, terms: Iterable[tuple[str, int]]) -> Json:
    """Return a list of terms, each with how often it occurs."""
    return {
        "@context": SEARCH_1,
        "@id": searched.address("terms-1"),
        "@type": "search:TermList",
        **({"ignored": list(searched.ignored)} if searched.ignored else {}),
        "terms": [
            {"match": term, "url": searched.address("search-1", query=term), "count": count}
            for term, count in terms
        ],
    }


def write_terms_2(searched: SearchRequest, terms: Iterable[tuple[str, int]]) -> Json:
    """Return a page of terms, each with how often it occurs."""
    return {
        "@context": SEARCH_2,
        "id": searched.address("terms-2"),
        "type": "TermPage",
        **({"ignored": list(searched.ignored)} if searched.ignored else {}),
        "items": [
            {
                "type": "Term",
                "value": term,
                "total": count,
                "service": [
                    {"id": searched.address("search-2", query=term), "type": "SearchService2"}
                ],
            }
            for term, count in terms
        ],
    }


def _page_addresses(searched: SearchRequest, found: Matches, service: str) -> dict[str, str]:
    last = max(-(-found.total // PAGE_OF_MATCHES), 1)
    pages = {"this": searched.page, "first": 1, "last": last}
    if searched.page < last:
        pages["next"] = searched.page + 1
    if searched.page > 1:
        pages["prev"] = min(searched.page - 1, last)
    return {name: searched.address(service, page=page) for name, page in pages.items()}


def _targets(searched: SearchRequest, match: Match) -> list[tuple[str, list[str]]]:
    """Return the URI of each annotation of a match, and the parts of the canvas where it is."""
    canvas = searched.part("canvas", str(match.page + 1))
    boxes = [(box.x, box.y, box.width, box.height) for box in match.boxes]
    parts = list(targets_of(canvas, boxes))
    if match.remark:
        name = remark_name(match.page + 1, match.remark.name)
        return [(searched.part("annotation", name), parts)]
    return [
        (searched.part("match", f"{match.name}-{number}"), [part])
        for number, part in enumerate(parts, start=1)
    ]


def _one_or_list(values: Sequence[Any]) -> Any:
    return values[0] if len(values) == 1 else list(values)


def _context_2(searched: SearchRequest, match: Match, names: Sequence[str]) -> Json:
    quoted = {
        "type": "TextQuoteSelector",
        "prefix": match.before,
        "exact": match.text,
        "suffix": match.after,
    }
    targets = [{"type": "SpecificResource", "source": name, "selector": [quoted]} for name in names]
    return {
        "id": searched.part("context", match.name),
        "type": "Annotation",
        "motivation": "contextualizing",
        "target": targets[0] if len(targets) == 1 else targets,
    }


def _page_2(address: str) -> Json:
    return {"id": address, "type": "AnnotationPage"}
