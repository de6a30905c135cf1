"""The gateway as a function of a request, over images that only name what was requested."""

import asyncio
import json

import pytest

from tests.unit.deliver.answer.gateway_bench import IMAGE, LARGE, NAMED, TILE, Bench, header
from tests.unit.deliver.deliver_records import live
from vitrine.deliver.answer.gateway import Gateway
from vitrine.deliver.http.exchange import Request
from vitrine.errors import Unavailable
from vitrine.iiif.request import ResolvedRequest
from vitrine.records import Live


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_an_image_is_rendered_with_its_headers(bench: Bench) -> None:
    response = bench.ask(IMAGE)
    assert (response.status, response.body) == (200, b"full/100,77/0/default.jpg")
    assert header(response, "link") == (
        "<https://images.example.org/iiif/3/a/full/100,77/0/default.jpg>;"
        'rel="canonical", <http://iiif.io/api/image/3/level2.json>;rel="profile"'
    )
    assert header(response, "cache-tag") == "i-ca978112ca1bbdcafac231b39a23dc4d"
    assert header(response, "cache-control") == (
        "public, max-age=300, s-maxage=2592000, stale-while-revalidate=60, stale-if-error=86400"
    )


@pytest.mark.parametrize(
    "path",
    [IMAGE, "/iiif/3/a/info.json", "/iiif/3/lost", "/iiif/3/x", "/", "/healthz", "/iiif/3/%zz"],
)
def test_every_answer_has_cors_and_a_life_exactly_once(bench: Bench, path: str) -> None:
    response = bench.ask(path)
    assert header(response, "access-control-allow-origin") == "*"
    assert header(response, "cache-control")


def test_where_no_page_and_no_image_is_people_get_a_page(bench: Bench) -> None:
    response = bench.ask("/objects/nothing")
    assert response.status == 404
    assert header(response, "content-type") == "text/html; charset=utf-8"
    assert b'<a href="/">' in response.body
    nothing = bench.ask("/iiif/3")
    assert header(nothing, "content-type") == "application/json"


def test_a_known_image_is_answered_without_fetching_or_rendering(bench: Bench) -> None:
    etag = header(bench.ask(IMAGE), "etag")
    bench.images.error = AssertionError("rendered")
    response = bench.ask(IMAGE, if_none_match=etag)
    assert (response.status, response.body) == (304, b"")
    assert header(response, "etag") == etag


def test_plain_http_is_believed_of_nginx_only_as_a_word(bench: Bench) -> None:
    for sent, scheme in (("http", "http"), ("https", "https"), ("gopher", "https")):
        response = bench.ask("/iiif/2/a/info.json", x_forwarded_proto=sent)
        assert f'"{scheme}://images.example.org/iiif/2/a"'.encode() in response.body


@pytest.mark.parametrize("host", ["", "a b", "a/b", 'evil.example"', "a@b", "a:b", "-a", "é.fr"])
def test_an_invalid_host_is_refused(bench: Bench, host: str) -> None:
    assert bench.ask("/iiif/3/a/info.json", host=host).status == 400


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "a-b.c"])
@pytest.mark.parametrize("port", ["", ":8080"])
def test_a_host_may_be_a_name_or_an_address_and_its_port_is_no_secure_one(
    bench: Bench, host: str, port: str
) -> None:
    body = bench.ask("/iiif/3/a/info.json", host=host + port).body
    assert f'"https://{host}/iiif/3/a"'.encode() in body


def test_a_public_base_url_needs_no_host() -> None:
    bench = Bench(public_base_url="https://iiif.example/")
    response = bench.ask("/iiif/3/a/info.json", host="a b")
    assert b'"https://iiif.example/iiif/3/a"' in response.body


def test_busy_is_503_with_retry_after_and_the_unforeseen_500(bench: Bench) -> None:
    bench.images.error = Unavailable("busy")
    response = bench.ask(IMAGE)
    assert (response.status, header(response, "retry-after")) == (503, "2")
    bench.images.error = RuntimeError("a secret")
    response = bench.ask(IMAGE)
    assert response.status == 500
    assert b"secret" not in response.body


def test_what_is_not_made_in_time_is_cancelled_and_503() -> None:
    bench, ended = Bench(answer_seconds=1), []

    async def never(image: Live, request: ResolvedRequest) -> bytes:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(request.canonical)
        return b""

    bench.images.derivative = never
    response = bench.ask(IMAGE)
    assert (response.status, header(response, "retry-after")) == (503, "2")
    assert b"not made within 1 s" in response.body
    assert ended == ["full/100,77/0/default.jpg"]


def test_another_timeout_is_not_taken_for_that_limit(bench: Bench) -> None:
    bench.images.error = TimeoutError("of something else")
    assert bench.ask(IMAGE).status == 500


def test_readiness_names_what_does_not_answer(bench: Bench) -> None:
    assert bench.ask("/readyz").status == 200
    bench.images.error = Unavailable("dead")
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


@pytest.mark.parametrize(
    "path",
    [
        TILE,
        "/iiif/3/a/0,0,256,256/256,256/0/default.jpg",
        "/iiif/3/a/0,0,256,256/256,/0/color.jpg",
        "/iiif/2/a/0,0,256,256/256,/0/default.jpg",
        "/iiif/2/a/1024,512,512,512/138,/0/default.jpg",
        "/iiif/3/a/1024,512,276,488/138,244/0/default.jpg",
        "/iiif/3/a/full/162,125/0/default.jpg",
        "/iiif/2/a/full/162,/0/default.jpg?x=1",
    ],
)
def test_a_tile_is_answered_at_once_as_it_would_be_otherwise(bench: Bench, path: str) -> None:
    considered, at_once = bench.ask_both(path)
    assert considered.body.startswith(b"TilePosition")
    assert at_once
    assert (at_once.status, at_once.body) == (considered.status, considered.body)
    assert dict(at_once.headers) == dict(considered.headers)
    assert len(at_once.headers) == len(considered.headers)


@pytest.mark.parametrize("path", ["/iiif/3/a/info.json", "/iiif/2/%61/info.json?x=1"])
@pytest.mark.parametrize("accept", [None, "application/json", "text/html", "image/*"])
def test_image_information_is_answered_at_once_as_it_would_be_otherwise(
    path: str, accept: str | None
) -> None:
    bench = Bench(live(collections=("paintings",)), tile_cache_mebibytes=1)
    considered, at_once = bench.ask_both(path, **({"accept": accept} if accept else {}))
    assert (considered.status, json.loads(considered.body)["width"]) == (200, 1300)
    assert at_once
    assert (at_once.status, at_once.body) == (considered.status, considered.body)
    assert sorted(at_once.headers) == sorted(considered.headers)
    assert header(at_once, "x-accel-expires")


def test_each_host_is_named_in_the_head_of_its_own_tile(bench: Bench) -> None:
    async def heads(gateway: Gateway) -> list[bytes]:
        requests = [
            Request(method="GET", path=TILE, headers={"host": host})
            for host in ("one.test", "two.test")
        ]
        await gateway.respond(requests[0])
        ready = map(gateway.respond_now, requests)
        return [answer.head for answer in ready if answer]

    first, second = bench.run(heads)
    assert b"<https://one.test/iiif/3/a/" in first
    assert second == first.replace(b"one.test", b"two.test")


@pytest.mark.parametrize("path", [TILE, "/iiif/3/a/info.json"])
def test_all_but_a_plain_request_for_what_is_at_hand_is_considered(bench: Bench, path: str) -> None:
    etag = header(bench.ask(path), "etag")
    assert bench.ask_both(path, "HEAD")[1] is None
    assert bench.ask_both(path, if_none_match=etag)[1] is None
    assert bench.ask_both(path, host="a b")[1] is None
    assert bench.ask_both(IMAGE)[1] is None


def test_a_date_can_make_an_image_known(bench: Bench) -> None:
    published = header(bench.ask(TILE), "last-modified")
    assert published == "Tue, 03 Feb 2026 04:05:06 GMT"
    for path in (TILE, IMAGE):
        known = bench.ask(path, if_modified_since=published)
        assert (known.status, known.body) == (304, b"")
        assert "content-type" not in dict(known.headers)


def test_a_small_derivative_is_left_to_the_cache_and_rendered_for_it() -> None:
    bench = Bench(derivative_cache_mebibytes=1)
    handed_over = bench.ask(NAMED)
    name = header(handed_over, "x-accel-redirect")
    assert handed_over.body == b""
    # Where nginx goes on from here, these would be sent twice.
    assert not {"cache-control", "content-type"} & set(dict(handed_over.headers))
    rendered = bench.ask(NAMED, x_derivative=name)
    assert rendered.body == b"full/300,231/0/default.jpg"
    assert int(header(rendered, "x-accel-expires")) > 7 * 86_400
    same = bench.ask("/iiif/3/a/full/300,/0/color.jpg")
    assert header(same, "x-accel-redirect") == name
    assert header(bench.ask(NAMED, host="b.example"), "x-accel-redirect") != name
    assert header(bench.ask(NAMED, x_derivative="/.derivative/old"), "x-accel-expires") == "0"


def test_the_cache_learns_nothing_of_tiles_large_derivatives_known_ones_and_errors() -> None:
    bench = Bench(derivative_cache_mebibytes=1)
    etag = header(bench.ask(TILE), "etag")
    answers = [
        bench.ask(TILE),
        bench.ask(LARGE),
        bench.ask(NAMED, if_none_match=etag),
        bench.ask("/iiif/3/a/info.json"),
        bench.ask("/iiif/3/lost/full/!300,300/0/default.jpg"),
    ]
    bench.images.error = Unavailable("busy")
    answers.append(bench.ask(NAMED, x_derivative="/.derivative/0"))
    for response in answers:
        assert not [name for name, _ in response.headers if name.startswith("x-accel")]


def test_rights_are_stated_where_they_are_set(bench: Bench) -> None:
    rights = "http://rightsstatements.org/vocab/InC/1.0/"
    assert b"rights" not in bench.ask("/iiif/3/a/info.json").body
    body = Bench(rights_uri=rights).ask("/iiif/3/a/info.json").body
    assert f'"rights":"{rights}"'.encode() in body
