"""How manifests say that their pages can be searched."""

from vitrine.iiif.presentation.addresses import Addresses
from vitrine.iiif.presentation.search_services import describe_search, describe_search_1

BASE = "https://images.example.org"


def test_a_manifest_of_version_3_names_both_services_with_their_terms() -> None:
    second, first = describe_search("a/b", Addresses(BASE, 3))
    assert (second["id"], second["type"]) == (f"{BASE}/inside/3/a%2Fb/search-2", "SearchService2")
    assert second["service"] == [
        {"id": f"{BASE}/inside/3/a%2Fb/terms-2", "type": "AutoCompleteService2"}
    ]
    assert (first["@id"], first["@type"]) == (f"{BASE}/inside/3/a%2Fb/search-1", "SearchService1")
    assert first["profile"] == "http://iiif.io/api/search/1/search"


def test_a_manifest_of_version_2_names_the_service_whose_canvases_are_its_own() -> None:
    service = describe_search_1("book", Addresses(BASE, 2))
    assert service["@id"] == f"{BASE}/inside/2/book/search-1"
    assert service["service"] == {
        "@id": f"{BASE}/inside/2/book/terms-1",
        "profile": "http://iiif.io/api/search/1/autocomplete",
    }
