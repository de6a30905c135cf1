"""The texts of canvases and their other annotations, as the gateway answers them."""

import json

import pytest

from tests.unit.deliver.answer.gateway_bench import Bench
from tests.unit.deliver.answer.published_bench import documents, headers, publish
from vitrine.store.layout import manifest_tag, text_page_key
from vitrine.store.publications import CONTENT_TYPE, Moved, Published, Withdrawn, encode_page


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.fixture
def texts(bench: Bench) -> Bench:
    """An object whose first canvas has a text and whose second has none."""
    kept = Published(
        revision=1,
        kind="manifest",
        documents=documents(),
        texts=("abc", ""),
        annotations=("def", ""),
    )
    publish(bench, kept)
    for name, of in (("abc", "text"), ("def", "annotations")):
        body = encode_page(documents(of=of))
        bench.site.put(text_page_key("book", name), body, content_type=CONTENT_TYPE)
    return bench


@pytest.mark.parametrize("of", ["text", "annotations"])
@pytest.mark.parametrize("version", [2, 3])
def test_what_a_canvas_has_is_at_an_address_of_its_own(texts: Bench, version: int, of: str) -> None:
    response = texts.ask(f"/presentation/{version}/book/{of}-1.json")
    assert json.loads(response.body) == {"version": version, "of": of}
    assert manifest_tag("book") in headers(response)["cache-tag"]
    other = f'</presentation/{5 - version}/book/{of}-1.json>;rel="alternate"'
    assert other in headers(response)["link"]


@pytest.mark.parametrize("of", ["text", "annotations"])
@pytest.mark.parametrize("number", [2, 3, 99999])
def test_a_canvas_without_them_says_so(texts: Bench, number: int, of: str) -> None:
    response = texts.ask(f"/presentation/3/book/{of}-{number}.json")
    assert response.status == 404
    assert f"canvas {number:,} of 'book' has no {of}" in response.body.decode()


@pytest.mark.parametrize(
    "name",
    [
        *("text-0.json", "text-.json", "text-1", "text-100000.json", "words-1.json"),
        *("annotations-0.json", "annotations.json"),
    ],
)
def test_other_names_of_texts_are_unknown(texts: Bench, name: str) -> None:
    assert texts.ask(f"/presentation/3/book/{name}").status == 404


def test_the_text_of_an_object_that_was_renamed_redirects_to_where_it_is(texts: Bench) -> None:
    publish(texts, Moved(revision=2, target="tome"))
    response = texts.ask("/presentation/3/book/text-1.json")
    assert response.status == 301
    assert headers(response)["location"] == "/presentation/3/tome/text-1.json"


def test_the_text_of_an_object_that_was_withdrawn_is_gone(texts: Bench) -> None:
    publish(texts, Withdrawn(revision=2, reason="rights", since="2026-11-23T10:00:00Z"))
    for of in ("text", "annotations"):
        assert texts.ask(f"/presentation/3/book/{of}-1.json").status == 410


def test_a_collection_and_an_image_by_itself_have_no_text(bench: Bench) -> None:
    publish(bench, Published(revision=1, kind="collection", documents=documents()), "shelf")
    response = bench.ask("/presentation/3/shelf/text-1.json")
    assert headers(response)["location"] == "/presentation/3/shelf/collection.json"
    assert bench.ask("/presentation/3/a/text-1.json").status == 404
    assert bench.ask("/presentation/3/a/annotations-1.json").status == 404
