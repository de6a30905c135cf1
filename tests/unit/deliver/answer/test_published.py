"""What was published of objects, as the gateway answers it."""

import asyncio
import json
import threading

import pytest

from tests.unit.deliver.answer.gateway_bench import Bench
from tests.unit.deliver.answer.published_bench import documents, headers, publish
from vitrine.adapters.memory.faults import Breaking
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.deliver.answer.publications import Publications
from vitrine.ports import ObjectInfo
from vitrine.store.layout import manifest_tag, page_key, publication_key
from vitrine.store.publications import (
    CONTENT_TYPE,
    Moved,
    Publication,
    Published,
    Waiting,
    Withdrawn,
    encode_page,
)

MANIFEST = "/presentation/3/book/manifest.json"


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.mark.parametrize("version", [2, 3])
def test_a_client_that_takes_brotli_gets_the_bytes_that_are_kept(
    bench: Bench, version: int
) -> None:
    kept = documents()
    publish(bench, Published(revision=1, kind="manifest", documents=kept))
    path = f"/presentation/{version}/book/manifest.json"
    response = bench.ask(path, accept_encoding="gzip, deflate, br")
    found = headers(response)
    assert (response.status, response.body) == (200, kept[version])
    assert found["content-encoding"] == "br"
    assert found["vary"] == "Accept, Accept-Encoding"
    assert f"presentation/{version}/context.json" in found["content-type"] + found.get("link", "")


def test_a_document_links_to_its_other_version_and_to_the_dump_of_everything(bench: Bench) -> None:
    publish(bench, Published(revision=1, kind="manifest", documents=documents()), "a b")
    for version, other in ((2, 3), (3, 2)):
        response = bench.ask(f"/presentation/{version}/a%20b/manifest.json")
        link = headers(response)["link"]
        assert f'</presentation/{other}/a%20b/manifest.json>;rel="alternate"' in link
        assert '</data/objects.jsonl.gz>;rel="collection"' in link


@pytest.mark.parametrize("codings", ["", "gzip", "br;q=0", "*"])
def test_any_other_gets_the_document_itself(bench: Bench, codings: str) -> None:
    publish(bench, Published(revision=1, kind="manifest", documents=documents()))
    response = bench.ask(MANIFEST, accept_encoding=codings)
    assert json.loads(response.body) == {"version": 3}
    assert "content-encoding" not in headers(response)


def test_it_stands_before_the_manifest_that_an_image_has_by_itself(bench: Bench) -> None:
    assert json.loads(bench.ask("/presentation/3/a/manifest.json").body)["type"] == "Manifest"
    publish(bench, Published(revision=1, kind="manifest", documents=documents(of="object")), "a")
    answer = json.loads(bench.ask("/presentation/3/a/manifest.json").body)
    assert answer == {"version": 3, "of": "object"}


def test_what_the_client_has_is_not_sent_again_and_a_change_is(bench: Bench) -> None:
    publish(bench, Published(revision=1, kind="manifest", documents=documents()))
    etag = headers(bench.ask(MANIFEST))["etag"]
    assert bench.ask(MANIFEST, if_none_match=etag).status == 304
    publish(bench, Published(revision=2, kind="manifest", documents=documents(new="yes")))
    assert bench.ask(MANIFEST, if_none_match=etag).status == 200


@pytest.mark.parametrize(
    ("publication", "path", "status", "location"),
    [
        (Moved(revision=2, target="ms 1"), MANIFEST, 301, "/presentation/3/ms%201/manifest.json"),
        (
            Published(revision=1, kind="collection", documents=documents()),
            MANIFEST,
            301,
            "/presentation/3/book/collection.json",
        ),
        (
            Published(revision=1, kind="manifest", documents=documents()),
            "/presentation/2/book/collection.json",
            301,
            "/presentation/2/book/manifest.json",
        ),
        (
            Published(revision=1, kind="collection", documents=documents()),
            "/presentation/book",
            301,
            "/presentation/3/book/collection.json",
        ),
        (Withdrawn(revision=2, reason="A claim.", since="2026-11-23T10:00:00Z"), MANIFEST, 410, ""),
        (Waiting(revision=1), MANIFEST, 404, ""),
    ],
)
def test_what_is_no_document_here_says_where_it_is_or_why_not(
    bench: Bench, publication: Publication, path: str, status: int, location: str
) -> None:
    publish(bench, publication)
    response = bench.ask(path)
    assert (response.status, headers(response).get("location", "")) == (status, location)
    assert manifest_tag("book") in headers(response)["cache-tag"]


def test_a_tombstone_gives_its_reason(bench: Bench) -> None:
    publish(bench, Withdrawn(revision=2, reason="A claim.", since="2026-11-23T10:00:00Z"))
    reason = json.loads(bench.ask(MANIFEST).body)["reason"]
    assert reason == "withdrawn 2026-11-23: A claim."


def test_there_is_no_collection_without_one(bench: Bench) -> None:
    assert bench.ask("/presentation/3/a/collection.json").status == 404
    assert "no object and no image" in bench.ask("/presentation/3/b/manifest.json").body.decode()


def test_a_bucket_that_fails_is_unavailable_and_no_other_manifest_is_shown(bench: Bench) -> None:
    bench.site = Breaking(bench.site, times=1)  # type: ignore[assignment]
    response = bench.ask("/presentation/3/a/manifest.json")
    assert (response.status, headers(response)["cache-control"]) == (503, "no-store")
    assert bench.ask("/presentation/3/a/manifest.json").status == 200


def test_damaged_bytes_are_unavailable_and_are_not_kept(bench: Bench) -> None:
    bench.site.put(publication_key("book"), b"\xc1", content_type=CONTENT_TYPE)
    response = bench.ask(MANIFEST)
    assert (response.status, headers(response)["cache-control"]) == (503, "no-store")


def publish_pages(bench: Bench, pages: int) -> None:
    """A collection of this many pages, of which each says its number."""
    top = Published(revision=1, kind="collection", documents=documents(), pages=pages)
    publish(bench, top)
    for number in range(1, pages + 1):
        body = encode_page(documents(page=str(number)))
        bench.site.put(page_key("book", number), body, content_type=CONTENT_TYPE)


@pytest.mark.parametrize("version", [2, 3])
def test_the_pages_of_a_collection_are_answered_like_it(bench: Bench, version: int) -> None:
    publish_pages(bench, 2)
    path = f"/presentation/{version}/book/collection-2.json"
    response = bench.ask(path)
    found = headers(response)
    assert json.loads(response.body) == {"version": version, "page": "2"}
    assert manifest_tag("book") in found["cache-tag"], "the edge drops it with its collection"
    assert f"/presentation/{5 - version}/book/collection-2.json" in found["link"]
    assert bench.ask(path, if_none_match=found["etag"]).status == 304


@pytest.mark.parametrize(
    ("path", "status", "location"),
    [
        ("/presentation/3/book/collection-3.json", 404, ""),
        ("/presentation/3/book/collection-0.json", 404, ""),
        ("/presentation/3/book/collection-02.json", 404, ""),
        ("/presentation/book/collection-2.json", 301, "/presentation/3/book/collection-2.json"),
        ("/presentation/3/a/collection-1.json", 404, ""),
    ],
)
def test_a_page_that_is_not_there_is_not_found(
    bench: Bench, path: str, status: int, location: str
) -> None:
    publish_pages(bench, 2)
    response = bench.ask(path)
    assert (response.status, headers(response).get("location", "")) == (status, location)


def test_who_asks_for_a_page_too_many_hears_how_many_there_are(bench: Bench) -> None:
    publish_pages(bench, 2)
    reason = json.loads(bench.ask("/presentation/3/book/collection-9.json").body)["reason"]
    assert reason == "the collection 'book' has 2 pages"
    publish(bench, Published(revision=2, kind="collection", documents=documents()))
    reason = json.loads(bench.ask("/presentation/3/book/collection-2.json").body)["reason"]
    assert reason == "the collection 'book' has no pages: it is in one piece"


def test_the_pages_of_what_moved_or_is_a_manifest_lead_there(bench: Bench) -> None:
    publish_pages(bench, 1)
    for publication, name in (
        (Moved(revision=2, target="ms 1"), "ms%201/collection-1.json"),
        (Published(revision=3, kind="manifest", documents=documents()), "book/manifest.json"),
    ):
        publish(bench, publication)
        response = bench.ask("/presentation/2/book/collection-1.json")
        assert headers(response)["location"] == f"/presentation/2/{name}"
    publish(bench, Withdrawn(revision=4, reason="A claim.", since="2026-11-23T10:00:00Z"))
    assert bench.ask("/presentation/2/book/collection-1.json").status == 410


@pytest.mark.parametrize(("body", "status"), [(b"\xc1", 503), (b"", 404)])
def test_a_page_that_is_damaged_or_was_emptied_meanwhile_is_no_document(
    bench: Bench, body: bytes, status: int
) -> None:
    publish_pages(bench, 1)
    bench.site.put(page_key("book", 1), body, content_type=CONTENT_TYPE)
    assert bench.ask("/presentation/3/book/collection-1.json").status == status


async def test_closing_waits_for_no_bucket() -> None:
    begun, may_end, ended = threading.Event(), threading.Event(), threading.Event()

    class Slow(MemoryObjectStore):
        def get(self, key: str) -> tuple[bytes, ObjectInfo]:
            begun.set()
            may_end.wait(10)
            ended.set()
            return super().get(key)

    publications = Publications(Slow())
    reading = asyncio.create_task(publications.find("book"))
    while not begun.is_set():
        await asyncio.sleep(0.001)
    publications.close()
    assert not ended.is_set()
    may_end.set()
    assert await reading is None
