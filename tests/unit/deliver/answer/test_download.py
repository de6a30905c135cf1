"""Downloads as the gateway answers them: head, slots, and what becomes of the stream."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from tests.unit.deliver.answer.gateway_bench import Bench, header
from vitrine.deliver.answer.download import disposition
from vitrine.deliver.answer.gateway import Gateway
from vitrine.deliver.http.exchange import Request, Response
from vitrine.errors import InvalidRequest, Unavailable

PATH = "/iiif/3/a/download.jpg"


def get(gateway: Gateway, method: str = "GET") -> "asyncio.Future[Response]":
    request = Request(method=method, path=PATH, headers={"host": "images.example.org"})
    return asyncio.ensure_future(gateway.respond(request))


async def rest_of(response: Response) -> list[bytes]:
    assert response.rest is not None
    return [piece async for piece in response.rest]


def test_a_download_is_a_stream_that_caches_keep_briefly() -> None:
    async def download(gateway: Gateway) -> None:
        response = await get(gateway)
        assert (response.status, response.body) == (200, b"the whole of ")
        assert await rest_of(response) == [b"a"]
        assert header(response, "content-disposition").startswith('attachment; filename="a.jpg"')
        assert header(response, "cache-control").startswith("public, max-age=60, s-maxage=300")
        assert header(response, "cache-tag")
        assert header(response, "access-control-allow-origin") == "*"
        assert "/iiif/3/a/download.jpg>" in header(response, "link")

    Bench().run(download)


def test_head_and_a_known_version_start_nothing() -> None:
    bench = Bench(downloads_at_once=1)
    bench.images.error = AssertionError("started")
    head = bench.ask(PATH, "HEAD")
    assert (head.status, head.body, head.rest) == (200, b"", None)
    known = bench.ask(PATH, if_none_match=header(head, "etag"))
    assert (known.status, known.rest) == (304, None)


@pytest.mark.parametrize(
    ("path", "status", "location"),
    [
        ("/iiif/a/download.jpg", 301, PATH),
        ("/iiif/2/a/download.jpg", 301, PATH),
        ("/iiif/3/old/download.jpg", 301, PATH),
        ("/iiif/3/lost/download.jpg", 410, ""),
        ("/iiif/3/never/download.jpg", 404, ""),
        ("/iiif/3/a/b/download.jpg", 404, ""),
    ],
)
def test_redirects_and_tombstones_are_those_of_the_image(
    path: str, status: int, location: str
) -> None:
    response = Bench().ask(path)
    assert response.status == status
    assert dict(response.headers).get("location", "") == location


def test_a_slot_is_free_again_however_its_download_ends() -> None:
    bench = Bench(downloads_at_once=1)

    async def use(gateway: Gateway) -> list[int]:
        statuses = []
        first = await get(gateway)
        statuses.append((await get(gateway)).status)
        await rest_of(first)
        read, statuses = await get(gateway), [*statuses, 200]
        assert read.rest is not None
        await read.rest.aclose()
        bench.images.error = Unavailable("not now")
        statuses.append((await get(gateway)).status)
        bench.images.error = InvalidRequest("cannot be joined")
        statuses.append((await get(gateway)).status)
        bench.images.error = None
        statuses.append((await get(gateway)).status)
        return statuses

    assert bench.run(use) == [503, 200, 503, 400, 200]


def test_a_client_that_leaves_before_the_first_piece_frees_its_slot() -> None:
    bench = Bench(downloads_at_once=1)
    under_way = asyncio.Event()

    async def forever(image: object) -> AsyncGenerator[bytes]:
        under_way.set()
        await asyncio.Event().wait()
        yield b""

    async def leave(gateway: Gateway) -> int:
        request = get(gateway)
        await under_way.wait()
        request.cancel()
        await asyncio.wait([request])
        del bench.images.pieces
        return (await get(gateway)).status

    bench.images.pieces = forever  # type: ignore[method-assign, assignment]
    assert bench.run(leave) == 200


def test_an_image_without_downloads_names_the_reason() -> None:
    response = Bench(downloads_at_once=0).ask(PATH)
    assert response.status == 404
    assert b"no whole images" in response.body


@pytest.mark.parametrize(
    ("identifier", "plain", "extended"),
    [
        ("SK-C-5", "SK-C-5.jpg", "SK-C-5.jpg"),
        ("a/b", "a-b.jpg", "a-b.jpg"),
        ('"; f="x.exe', "__ f__x.exe.jpg", "%22%3B%20f%3D%22x.exe.jpg"),
        ("Zürich\r\n", "Z_rich__.jpg", "Z%C3%BCrich%0D%0A.jpg"),
    ],
)
def test_a_file_name_is_safe_in_a_header(identifier: str, plain: str, extended: str) -> None:
    expected = f"attachment; filename=\"{plain}\"; filename*=UTF-8''{extended}"
    assert disposition(identifier, "jpg") == expected
