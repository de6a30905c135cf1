"""Whole objects as the gateway decides them; what is in them is tested with a running task."""

import asyncio
import json
from typing import Any

import brotli
import pytest

from tests.unit.deliver.answer.gateway_bench import HOST, Bench
from tests.unit.deliver.answer.published_bench import documents, headers, publish
from vitrine.deliver.answer.gateway import Gateway
from vitrine.deliver.http.exchange import Request
from vitrine.iiif.presentation.whole_object import MAX_PDF_PAGES
from vitrine.store.publications import Moved, Published, Withdrawn

PATH = "/presentation/3/book/object.pdf"
BASE = "https://images.example.org"


def manifest(pages: int) -> bytes:
    """A manifest whose pages show the image `a`."""
    body = {"service": [{"id": f"{BASE}/iiif/3/a"}]}
    canvas: dict[str, Any] = {"width": 1300, "height": 1000, "items": [{"items": [{"body": body}]}]}
    root = f"{BASE}/presentation/3/book"
    items = [{"id": f"{root}/canvas/{number}", **canvas} for number in range(1, pages + 1)]
    document = {"id": f"{root}/manifest.json", "label": {"none": ["Book"]}, "items": items}
    return brotli.compress(json.dumps(document).encode())


def published(pages: int) -> Published:
    return Published(revision=1, kind="manifest", documents={2: b"", 3: manifest(pages)})


@pytest.mark.parametrize(
    ("path", "status", "location"),
    [
        ("/presentation/2/book/object.pdf", 301, PATH),
        ("/presentation/book/object.pdf", 301, PATH),
        ("/presentation/3/book/text.txt", 404, ""),
        ("/presentation/3/a/object.pdf", 404, ""),
        ("/presentation/3/never/object.pdf", 404, ""),
        ("/presentation/3/book/object.txt", 404, ""),
        ("/presentation/3/shelf/object.pdf", 301, "/presentation/3/shelf/collection.json"),
        ("/presentation/3/lost-book/object.pdf", 410, ""),
        ("/presentation/3/old-book/object.pdf", 301, PATH),
    ],
)
def test_redirects_and_tombstones_are_those_of_the_manifest(
    path: str, status: int, location: str
) -> None:
    bench = Bench()
    publish(bench, published(2))
    publish(bench, Published(revision=1, kind="collection", documents=documents()), "shelf")
    publish(
        bench, Withdrawn(revision=2, reason="rights", since="2026-11-23T10:00:00Z"), "lost-book"
    )
    publish(bench, Moved(revision=2, target="book"), "old-book")
    response = bench.ask(path)
    assert response.status == status
    assert headers(response).get("location", "") == location


def test_more_pages_than_a_pdf_has_are_refused_with_the_number() -> None:
    bench = Bench()
    publish(bench, published(MAX_PDF_PAGES + 1))
    response = bench.ask(PATH)
    assert response.status == 400
    assert b"at most 2,000 pages, and this object has 2,001" in response.body


def test_a_damaged_manifest_is_no_file() -> None:
    bench = Bench()
    publish(bench, Published(revision=1, kind="manifest", documents={3: b"damaged"}))
    assert bench.ask(PATH).status == 503


def test_whole_objects_share_the_slots_of_whole_images() -> None:
    bench = Bench(downloads_at_once=1)
    publish(bench, published(2))

    async def use(gateway: Gateway) -> int:
        image = Request(method="GET", path="/iiif/3/a/download.jpg", headers=HOST)
        first = await gateway.respond(image)
        second = await gateway.respond(Request(method="GET", path=PATH, headers=HOST))
        assert first.rest is not None
        await first.rest.aclose()
        assert headers(second)["retry-after"] == "60"
        await asyncio.sleep(0)
        return second.status

    assert bench.run(use) == 503
