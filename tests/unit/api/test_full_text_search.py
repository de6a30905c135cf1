"""Searches across objects answer by the standards with what is published at that moment."""

import json
from typing import Any
from urllib.parse import quote

import brotli
import pytest

from tests.unit.search.content.content_bench import page
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.api.content_search import ContentSearchServices, answer
from vitrine.api.http import ApiRequest, ApiResponse
from vitrine.search.content.build import build_index
from vitrine.search.content.stored import StoredIndexes
from vitrine.search.full_text.search import OBJECTS_SHOWN, FullTextSearch
from vitrine.search.full_text.update import update_full_text
from vitrine.store.layout import manifest_tag, publication_key, text_index_key
from vitrine.store.publications import Published, Withdrawn, encode_publication

BASE = "https://images.example.org"
PAGES = (page("There are two birds"), page("one in the bush"))


class Museum:
    """Books in memory, and the service that searches in all of them."""

    def __init__(self) -> None:
        self.site = MemoryObjectStore()

    def publish(self, identifier: str, title: str, name: str = "1") -> None:
        """Publish a book of two pages, the first of which has a label."""
        self.site.put(text_index_key(identifier, name), build_index(PAGES), content_type="x/y")
        newer = {"label": {"en": [title]}, "items": [{"label": {"en": ["fol. 1"]}}, {}]}
        older = {"label": title, "sequences": [{"canvases": [{"label": "fol. 1"}, {}]}]}
        documents = {
            version: brotli.compress(json.dumps(document).encode())
            for version, document in ((2, older), (3, newer))
        }
        publication = Published(revision=1, kind="manifest", documents=documents, text_index=name)
        body = encode_publication(publication)
        self.site.put(publication_key(identifier), body, content_type="x/y")

    def withdraw(self, identifier: str) -> None:
        """Take a book off the web; the index does not know it yet."""
        body = encode_publication(Withdrawn(revision=2, reason="", since=""))
        self.site.put(publication_key(identifier), body, content_type="x/y")

    def update(self) -> None:
        """Bring the index of all pages up to date."""
        update_full_text(self.site)

    def ask(self, path: str, query: str = "") -> ApiResponse:
        """Send a request as the edge does, to a function that has just started."""
        indexes = StoredIndexes(self.site)
        services = ContentSearchServices(self.site, indexes, FullTextSearch(self.site, indexes))
        headers = {"x-public-base": BASE, "x-request-uri": path}
        return answer(
            services, ApiRequest(method="GET", path="/", query=query, headers=headers, caller="")
        )

    def read(self, path: str, query: str = "") -> Any:
        """Return the document of a good answer."""
        response = self.ask(path, query)
        assert response.status == 200, response.body
        return json.loads(response.body)


@pytest.fixture
def museum() -> Museum:
    made = Museum()
    made.publish("a/b", "Birds")
    made.publish("other", "Other birds")
    made.update()
    return made


def _objects(document: Any) -> list[str]:
    return [item["target"]["partOf"][0]["label"]["en"][0] for item in document["items"]]


def test_version_2_names_the_canvas_its_object_and_the_words_around(museum: Museum) -> None:
    document = museum.read("/inside/3/search-2", "q=two+BIRDS")
    assert document["id"] == f"{BASE}/inside/3/search-2?q=two%20BIRDS"
    assert document["partOf"][0]["found"] == {"objects": 2, "pages": 2, "isExact": True}
    assert "next" not in document
    [two, birds] = document["items"][:2]
    assert [two["body"]["value"], birds["body"]["value"]] == ["two", "birds"]
    assert birds["target"] == {
        "id": f"{BASE}/presentation/3/a%2Fb/canvas/1#xywh=140,0,50,15",
        "type": "Canvas",
        "label": {"en": ["fol. 1"]},
        "partOf": [
            {
                "id": f"{BASE}/presentation/3/a%2Fb/manifest.json",
                "type": "Manifest",
                "label": {"en": ["Birds"]},
                "found": {"pages": 1},
            }
        ],
    }
    context = document["annotations"][0]["items"][1]["target"]
    assert context["source"] == birds["id"]
    assert context["selector"][0]["prefix"] == "There are two "


def test_a_canvas_without_a_label_has_none(museum: Museum) -> None:
    document = museum.read("/inside/3/search-2", "q=bush")
    assert all("label" not in item["target"] for item in document["items"])


def test_motivations_other_than_those_of_texts_find_nothing(museum: Museum) -> None:
    for service, requested in (("search-1", "painting"), ("search-2", "supplementing")):
        document = museum.read(f"/inside/3/{service}", f"q=birds&motivation={requested}")
        assert document.get("items", document.get("resources"))
    document = museum.read("/inside/3/search-2", "q=birds&motivation=commenting")
    assert document["items"] == []
    assert document["partOf"][0]["found"]["objects"] == 0


def test_version_1_has_hits_and_objects_around_the_canvases(museum: Museum) -> None:
    document = museum.read("/inside/2/search-1", "q=birds&motivation=painting&user=x")
    assert document["within"]["found"]["objects"] == 2
    assert document["within"]["ignored"] == ["user"]
    assert document["within"]["first"].endswith("?q=birds&motivation=painting")
    resource = document["resources"][0]
    assert resource["on"] == {
        "@id": f"{BASE}/presentation/2/a%2Fb/canvas/1#xywh=140,0,50,15",
        "@type": "sc:Canvas",
        "label": "fol. 1",
        "within": {
            "@id": f"{BASE}/presentation/2/a%2Fb/manifest.json",
            "@type": "sc:Manifest",
            "label": "Birds",
            "found": {"pages": 1},
        },
    }
    assert document["hits"][0]["annotations"] == [resource["@id"]]
    assert document["hits"][0]["before"] == "There are two "


def test_a_withdrawn_object_is_in_no_answer_before_any_update(museum: Museum) -> None:
    museum.withdraw("a/b")
    assert _objects(museum.read("/inside/3/search-2", "q=birds")) == ["Other birds"]
    museum.update()
    assert museum.read("/inside/3/search-2", "q=birds")["partOf"][0]["found"]["objects"] == 1


def test_a_text_that_is_no_longer_that_of_its_object_is_in_no_answer(museum: Museum) -> None:
    museum.publish("a/b", "Birds", name="2")
    assert _objects(museum.read("/inside/3/search-2", "q=birds")) == ["Other birds"]
    museum.update()
    assert len(_objects(museum.read("/inside/3/search-2", "q=birds"))) == 2


def test_answers_follow_each_other_from_a_place_in_the_ranking(museum: Museum) -> None:
    for number in range(OBJECTS_SHOWN):
        museum.publish(f"book-{number}", f"Book {number}")
    museum.update()
    first = museum.read("/inside/3/search-2", "q=birds")
    assert first["next"]["id"] == f"{BASE}/inside/3/search-2?q=birds&start={OBJECTS_SHOWN}"
    second = museum.read("/inside/3/search-2", f"q=birds&start={OBJECTS_SHOWN}")
    assert "next" not in second
    assert len({*_objects(first), *_objects(second)}) == OBJECTS_SHOWN + 2
    older = museum.read("/inside/2/search-1", "q=birds")
    assert older["next"].endswith(f"/inside/2/search-1?q=birds&start={OBJECTS_SHOWN}")


def test_an_answer_is_forgotten_with_the_objects_that_it_shows_and_lives_for_minutes(
    museum: Museum,
) -> None:
    headers = museum.ask("/inside/3/search-2", "q=birds").headers
    assert headers["cache-tag"] == f"{manifest_tag('a/b')},{manifest_tag('other')}"
    assert headers["cache-control"] == "public, max-age=60, s-maxage=300"
    assert headers["access-control-allow-origin"] == "*"


def test_an_answer_without_an_object_is_kept_for_seconds_as_nothing_purges_it(
    museum: Museum,
) -> None:
    headers = museum.ask("/inside/3/search-2", "q=zebra").headers
    assert headers["cache-control"] == "public, max-age=5"
    assert "cache-tag" not in headers


@pytest.mark.parametrize("query", ["", "q=", "q=!", "q=zebra"])
def test_what_finds_nothing_is_an_empty_answer_also_where_nothing_was_ever_indexed(
    museum: Museum, query: str
) -> None:
    for service in (museum, Museum()):
        document = service.read("/inside/3/search-2", query)
        assert document["items"] == []
        assert document["partOf"][0]["found"]["objects"] == 0


@pytest.mark.parametrize(
    ("path", "query", "status"),
    [
        ("/inside/3/search-2", f"q={quote('x' * 201)}", 400),
        ("/inside/3/search-2", "q=a&start=-1", 400),
        ("/inside/3/search-2", "q=a&start=9999999", 400),
        ("/inside/3/search-2", "q=%FF", 400),
        ("/inside/3/terms-2", "q=a", 404),
        ("/inside/5/search-2", "q=a", 404),
    ],
)
def test_what_cannot_be_answered_says_why(
    museum: Museum, path: str, query: str, status: int
) -> None:
    response = museum.ask(path, query)
    assert (response.status, json.loads(response.body)["status"]) == (status, status)
