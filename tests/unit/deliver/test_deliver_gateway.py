"""The gateway as a function of a request, with a renderer that only says it was called."""

import asyncio
from pathlib import Path

import pytest
from deliver_records import GONE, REDIRECT, live

from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.deliver.exchange import Request, Response
from vitrine.deliver.service import GatewayService
from vitrine.errors import Unavailable
from vitrine.identify.record import Live
from vitrine.iiif.request import ResolvedRequest
from vitrine.settings import DeliverSettings

IMAGE = "/iiif/3/a/full/!100,100/0/default.jpg"
HOST = {"host": "Images.Example.org"}


class NamingRenderer:
    """Answers with the canonical form of what it was asked."""

    def __init__(self) -> None:
        self.error: Exception | None = None

    async def render(self, image: Live, path: Path, request: ResolvedRequest) -> bytes:
        if self.error:
            raise self.error
        return request.canonical.encode()

    async def check(self) -> None:
        if self.error:
            raise self.error

    async def close(self) -> None:
        return


class Bench:
    """A gateway in memory."""

    def __init__(self, directory: Path, **changes: object) -> None:
        self.renderer = NamingRenderer()
        self.store = MemoryObjectStore()
        self.settings = DeliverSettings(
            access_masters_bucket="b",
            identifiers_table="t",
            work_directory=str(directory),
            **changes,  # type: ignore[arg-type]
        )
        self.store.put(live().access_master_key, b"x" * 100, content_type="image/tiff")

    def ask(self, path: str, method: str = "GET", **headers: str) -> Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}

        async def respond() -> Response:
            table = MemoryIdentifierTable(live(), REDIRECT, GONE)
            service = GatewayService(
                self.settings, store=self.store, table=table, renderer=self.renderer
            )
            request = Request(method=method, path=path, headers={**HOST, **named})
            response = await service.gateway.respond(request)
            await service.close()
            return response

        return asyncio.run(respond())


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def header(response: Response, name: str) -> str:
    values = [value for key, value in response.headers if key == name]
    assert len(values) == 1, f"{name} {len(values)} times"
    return values[0]


def test_an_image_is_rendered_with_its_headers(bench: Bench) -> None:
    response = bench.ask(IMAGE)
    assert (response.status, response.body) == (200, b"full/100,77/0/default.jpg")
    assert header(response, "link") == (
        "<https://images.example.org/iiif/3/a/full/100,77/0/default.jpg>;"
        'rel="canonical", <http://iiif.io/api/image/3/level1.json>;rel="profile"'
    )
    assert header(response, "cache-tag") == "i-ca978112ca1bbdcafac231b39a23dc4d"
    assert header(response, "cache-control") == "public, max-age=300, s-maxage=300"


@pytest.mark.parametrize(
    "path",
    [IMAGE, "/iiif/3/a/info.json", "/iiif/3/lost", "/iiif/3/x", "/", "/healthz", "/iiif/3/%zz"],
)
def test_every_answer_has_cors_and_a_life_exactly_once(bench: Bench, path: str) -> None:
    response = bench.ask(path)
    assert header(response, "access-control-allow-origin") == "*"
    assert header(response, "cache-control")


def test_a_known_image_is_answered_without_fetching_or_rendering(bench: Bench) -> None:
    etag = header(bench.ask(IMAGE), "etag")
    bench.renderer.error = AssertionError("rendered")
    response = bench.ask(IMAGE, if_none_match=etag)
    assert (response.status, response.body) == (304, b"")
    assert header(response, "etag") == etag


def test_plain_http_is_believed_of_nginx_only_as_a_word(bench: Bench) -> None:
    for sent, scheme in (("http", "http"), ("https", "https"), ("gopher", "https")):
        response = bench.ask("/iiif/2/a/info.json", x_forwarded_proto=sent)
        assert f'"{scheme}://images.example.org/iiif/2/a"'.encode() in response.body


@pytest.mark.parametrize("host", ["", "a b", "a/b", 'evil.example"', "a@b", "a:b", "-a", "é.fr"])
def test_a_host_that_is_none_is_refused(bench: Bench, host: str) -> None:
    assert bench.ask("/iiif/3/a/info.json", host=host).status == 400


@pytest.mark.parametrize("host", ["localhost:8080", "127.0.0.1:1", "[::1]:8080", "a-b.c"])
def test_a_host_may_be_a_name_or_an_address(bench: Bench, host: str) -> None:
    assert f"https://{host}/iiif/3/a".encode() in bench.ask("/iiif/3/a/info.json", host=host).body


def test_a_public_base_url_needs_no_host(tmp_path: Path) -> None:
    bench = Bench(tmp_path, public_base_url="https://iiif.example/")
    response = bench.ask("/iiif/3/a/info.json", host="a b")
    assert b'"https://iiif.example/iiif/3/a"' in response.body


def test_busy_is_503_with_retry_after_and_the_unforeseen_500(bench: Bench) -> None:
    bench.renderer.error = Unavailable("busy")
    response = bench.ask(IMAGE)
    assert (response.status, header(response, "retry-after")) == (503, "2")
    bench.renderer.error = RuntimeError("a secret")
    response = bench.ask(IMAGE)
    assert response.status == 500
    assert b"secret" not in response.body


def test_readiness_names_what_does_not_answer(bench: Bench) -> None:
    assert bench.ask("/readyz").status == 200
    bench.renderer.error = Unavailable("dead")
    response = bench.ask("/readyz")
    assert response.status == 503
    assert b'"iipsrv":"Unavailable: dead"' in response.body
    assert bench.ask("/healthz").status == 200


def test_an_unknown_image_is_forgotten_within_seconds_so_that_a_publication_is_seen(
    bench: Bench,
) -> None:
    response = bench.ask("/iiif/3/x/info.json")
    assert response.status == 404
    assert header(response, "cache-control") == "public, max-age=0, s-maxage=10"
