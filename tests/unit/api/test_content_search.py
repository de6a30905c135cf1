"""Searches inside objects answer by the standards, and say what is wrong with a request."""

import json
from urllib.parse import quote

import pytest

from tests.unit.api.search_bench import BASE, BOOK, Service, make_services
from tests.unit.search.content.content_bench import page
from vitrine.adapters.memory.faults import Breaking
from vitrine.search.content.search import PAGE_OF_MATCHES
from vitrine.store.layout import manifest_tag, publication_key, text_index_key
from vitrine.store.publications import (
    Moved,
    Published,
    Waiting,
    Withdrawn,
)

PHRASE = "q=" + quote('"hand is"')


@pytest.fixture
def service() -> Service:
    made = Service()
    made.add_book("book", BOOK)
    return made


def test_version_2_answers_with_annotations_on_the_canvas_and_their_context(
    service: Service,
) -> None:
    document = service.read("/inside/3/book/search-2", "q=birds")
    assert document["@context"] == "http://iiif.io/api/search/2/context.json"
    assert (document["type"], document["partOf"][0]["total"]) == ("AnnotationPage", 2)
    first, second = document["items"]
    assert first["body"] == {"type": "TextualBody", "value": "birds", "format": "text/plain"}
    assert first["target"] == f"{BASE}/presentation/3/book/canvas/1#xywh=140,0,50,15"
    assert second["target"] == f"{BASE}/presentation/3/book/canvas/3#xywh=50,40,50,15"
    context = document["annotations"][0]["items"][0]
    assert context["motivation"] == "contextualizing"
    assert context["target"]["source"] == first["id"]
    assert context["target"]["selector"] == [
        {
            "type": "TextQuoteSelector",
            "prefix": "There are two ",
            "exact": "birds",
            "suffix": " in the bush and one in the hand",
        }
    ]


def test_a_match_on_two_lines_is_one_context_of_two_annotations(service: Service) -> None:
    document = service.read("/inside/3/book/search-2", PHRASE)
    assert [one["target"].partition("#")[2] for one in document["items"]] == [
        "xywh=40,0,40,15",
        "xywh=0,20,20,15",
    ]
    (context,) = document["annotations"][0]["items"]
    assert [one["source"] for one in context["target"]] == [one["id"] for one in document["items"]]
    (hit,) = service.read("/inside/3/book/search-1", PHRASE)["hits"]
    assert (hit["match"], len(hit["annotations"])) == ("hand is", 2)


def test_version_1_answers_with_resources_and_hits(service: Service) -> None:
    document = service.read("/inside/2/book/search-1", "q=BUSH")
    assert document["@type"] == "sc:AnnotationList"
    assert document["within"] == {
        "@type": "sc:Layer",
        "total": 1,
        "first": f"{BASE}/inside/2/book/search-1?q=BUSH",
        "last": f"{BASE}/inside/2/book/search-1?q=BUSH",
    }
    (resource,), (hit,) = document["resources"], document["hits"]
    assert resource["on"] == f"{BASE}/presentation/2/book/canvas/1#xywh=270,0,40,15"
    assert resource["resource"]["chars"] == "bush"
    assert hit["annotations"] == [resource["@id"]]
    assert (hit["before"], hit["after"]) == ("There are two birds in the ", " and one in the hand")


def test_every_page_of_matches_leads_to_the_next(service: Service) -> None:
    service.add_book("long", tuple(page("word word") for _ in range(PAGE_OF_MATCHES)))
    seen: list[str] = []
    query: str | None = "q=word"
    while query:
        document = service.read("/inside/3/long/search-2", query)
        seen += [one["id"] for one in document["items"]]
        following = document.get("next", {}).get("id", "")
        query = following.partition("?")[2]
    assert len(seen) == len(set(seen)) == document["partOf"][0]["total"] == 2 * PAGE_OF_MATCHES
    assert document["prev"]["id"] == document["partOf"][0]["first"]["id"]
    first = service.read("/inside/3/long/search-1", "q=word")
    second = service.read("/inside/3/long/search-1", first["next"].partition("?")[2])
    assert (first["startIndex"], second["startIndex"]) == (0, PAGE_OF_MATCHES)
    assert "next" not in second


@pytest.mark.parametrize(
    "query", ["", "q=", "q=%20", "q=nothing", "q=!%3F", "q=*", "page=9&q=bush"]
)
def test_what_finds_nothing_is_an_empty_answer(service: Service, query: str) -> None:
    assert service.read("/inside/3/book/search-2", query)["items"] == []
    assert service.read("/inside/3/book/search-1", query)["resources"] == []


def test_parameters_that_are_not_heeded_are_named(service: Service) -> None:
    query = "q=bush&date=2026&user=x&page=1"
    assert service.read("/inside/3/book/search-2", query)["ignored"] == ["date", "user"]
    kept = "q=bush&ignored=date,user"
    assert service.read("/inside/3/book/search-1", kept)["within"]["ignored"] == ["date", "user"]
    assert service.read("/inside/3/book/terms-2", kept)["ignored"] == ["date", "user"]
    assert "ignored" not in service.read("/inside/3/book/search-2", "q=bush")


def test_words_are_completed_in_both_versions(service: Service) -> None:
    terms = service.read("/inside/3/book/terms-2", "q=Bir")
    assert terms["type"] == "TermPage"
    assert [(one["value"], one["total"]) for one in terms["items"]] == [
        ("birch", 1),
        ("bird", 1),
        ("birds", 2),
    ]
    assert terms["items"][2]["service"] == [
        {"id": f"{BASE}/inside/3/book/search-2?q=birds", "type": "SearchService2"}
    ]
    older = service.read("/inside/2/book/terms-1", "q=bir&min=2")
    assert older["@type"] == "search:TermList"
    assert older["terms"] == [
        {"match": "birds", "url": f"{BASE}/inside/2/book/search-1?q=birds", "count": 2}
    ]
    assert service.read("/inside/3/book/terms-2")["items"] == []


def test_an_answer_is_kept_by_the_edge_for_minutes(service: Service) -> None:
    headers = service.ask("/inside/3/book/search-2", "q=bush").headers
    assert headers["cache-tag"] == manifest_tag("book")
    assert "s-maxage=300" in headers["cache-control"]
    assert headers["access-control-allow-origin"] == "*"


@pytest.mark.parametrize(
    ("path", "query", "status"),
    [
        ("/inside/3/book/search-2", f"q={'x' * 201}", 400),
        ("/inside/3/book/search-2", f"q={'+'.join(map(str, range(17)))}", 400),
        ("/inside/3/book/search-2", "q=a&page=0", 400),
        ("/inside/3/book/search-2", "q=a&page=-1", 400),
        ("/inside/3/book/search-2", "q=a&page=99999999", 400),
        ("/inside/3/book/terms-2", "q=a&min=x", 400),
        ("/inside/3/book/search-2", "q=%FF", 400),
        ("/inside/3/book/search-2", "q=" + "a" * 10_000, 400),
        ("/inside/3/book/search-2", "&".join(["q=a"] * 50), 400),
        ("/inside/3/%FF/search-2", "q=a", 400),
        ("/inside/3/%zz/search-2", "q=a", 400),
        ("/inside/4/book/search-2", "q=a", 404),
        ("/inside/3/book/search-3", "q=a", 404),
        ("/inside/3/book", "q=a", 404),
        ("/inside/3/a/b/search-2", "q=a", 404),
        ("/inside/3/unknown/search-2", "q=a", 404),
        ("/inside/3/" + "x" * 5_000 + "/search-2", "q=a", 400),
    ],
)
def test_a_bad_request_gets_its_reason_and_is_not_kept(
    service: Service, path: str, query: str, status: int
) -> None:
    response = service.ask(path, query)
    assert response.status == status
    assert response.headers["content-type"] == "application/problem+json"
    assert response.headers["cache-control"] == "no-store"
    assert response.headers["access-control-allow-origin"] == "*"


def test_a_withdrawn_object_is_not_searched(service: Service) -> None:
    service.publish("book", Withdrawn(revision=2, reason="Rights", since="2026-01-01T00:00:00Z"))
    response = service.ask("/inside/3/book/search-2", "q=bush")
    assert (response.status, json.loads(response.body)["detail"]) == (410, "Rights")


def test_a_renamed_object_is_searched_under_its_identifier(service: Service) -> None:
    service.publish("old name", Moved(revision=2, target="book"))
    response = service.ask("/inside/3/old%20name/terms-1", "q=bush&page=2")
    assert response.status == 301
    assert response.headers["location"] == f"{BASE}/inside/3/book/terms-1?q=bush&page=2"
    assert response.headers["cache-tag"] == manifest_tag("old name")


def test_an_object_without_texts_or_images_has_no_search(service: Service) -> None:
    service.publish("bare", Published(revision=1, kind="manifest", documents={}))
    service.publish("waits", Waiting(revision=1))
    assert service.ask("/inside/3/bare/search-2", "q=a").status == 404
    assert service.ask("/inside/3/waits/search-2", "q=a").status == 404


def test_a_replaced_text_is_what_is_found(service: Service) -> None:
    assert service.read("/inside/3/book/search-2", "q=newer")["items"] == []
    service.add_book("book", (page("newer"),), name="2")
    assert len(service.read("/inside/3/book/search-2", "q=newer")["items"]) == 1


def test_only_reading_is_allowed(service: Service) -> None:
    assert service.ask("/inside/3/book/search-2", "q=a", "POST").status == 405
    preflight = service.ask("/inside/3/book/search-2", "", "OPTIONS")
    assert preflight.status == 204
    assert preflight.headers["access-control-allow-headers"] == "*"


def test_a_name_in_another_normal_form_is_the_same(service: Service) -> None:
    service.add_book("caf\u00e9", BOOK)
    assert service.read("/inside/3/cafe%CC%81/search-2", "q=bush")["partOf"][0]["total"] == 1


def test_a_store_that_does_not_answer_is_asked_again(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    broken = Breaking(service.site)
    broken.fail_next(1)
    service.services = make_services(broken)
    response = service.ask("/inside/3/book/search-2", "q=bush")
    assert (response.status, response.headers["retry-after"]) == (503, "2")
    # The alarm rings for it: somebody looks into the log.
    assert "A service of AWS failed a search" in caplog.text
    assert service.ask("/inside/3/book/search-2", "q=bush").status == 200


@pytest.mark.parametrize("key", [publication_key("book"), text_index_key("book", "1")])
@pytest.mark.parametrize("body", [b"", b"damaged", b"\xff\x00"])
@pytest.mark.parametrize("path", ["/inside/3/book/search-2", "/inside/2/book/terms-1"])
def test_what_is_damaged_is_named_in_the_log_and_said_to_be_for_those_who_operate_the_service(
    service: Service, caplog: pytest.LogCaptureFixture, key: str, body: bytes, path: str
) -> None:
    service.site.put(key, body, content_type="x/y")
    response = service.ask(path, "q=bush")
    problem = json.loads(response.body)
    assert (response.status, problem["type"]) == (503, "/problems/damaged")
    assert "operate the service" in problem["advice"]
    # No repetition mends it, and no cache keeps it after it was mended.
    assert "retry-after" not in response.headers
    assert response.headers["cache-control"] == "no-store"
    [record] = caplog.records
    assert record.levelname == "ERROR"
    assert record.getMessage().startswith(f"{key} is damaged (docs/runbooks/searches-fail.md)")
