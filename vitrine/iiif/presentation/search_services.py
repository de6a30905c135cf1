"""How a manifest says that its pages can be searched.

IIIF Content Search 2.0 (https://iiif.io/api/search/2.0/, sections 3 and 5), and 1.0, which is what
Mirador and Universal Viewer ask for.
"""

from typing import Any

from vitrine.iiif.presentation.addresses import Addresses

_CONTEXT_1 = "http://iiif.io/api/search/1/context.json"
Json = dict[str, Any]


def describe_search(identifier: str, to: Addresses) -> list[Json]:
    """Return the services of a manifest of version 3 whose pages have a text."""
    service_2 = {
        "id": to.inside(identifier, "search-2"),
        "type": "SearchService2",
        "service": [{"id": to.inside(identifier, "terms-2"), "type": "AutoCompleteService2"}],
    }
    older = describe_search_1(identifier, to)
    # The schema of version 3 wants lists of services that name their types.
    terms = {"@type": "AutoCompleteService1", **older["service"]}
    return [service_2, {"@type": "SearchService1", **older, "service": [terms]}]


def describe_search_1(identifier: str, to: Addresses) -> Json:
    """Return the service of a manifest of version 2 whose pages have a text."""
    return {
        "@context": _CONTEXT_1,
        "@id": to.inside(identifier, "search-1"),
        "profile": "http://iiif.io/api/search/1/search",
        "service": {
            "@id": to.inside(identifier, "terms-1"),
            "profile": "http://iiif.io/api/search/1/autocomplete",
        },
    }
