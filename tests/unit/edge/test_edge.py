"""The edge nginx: the same function in njs, and a cache that behaves as a shared cache."""

import json
import re
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.unit.edge.edge_bench import Edge
from tests.unit.edge.edge_vectors import VECTORS, Vector
from vitrine.adapters.nginx.edge_cache import purge
from vitrine.edge.policies import ERROR_SECONDS

pytestmark = pytest.mark.enable_socket
TILE = "/iiif/3/{}/0,0,256,256/256,256/0/default.jpg"


@pytest.mark.slow
@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_njs_answers_as_cloudfront_does(vector: Vector, edge: Edge) -> None:
    status, headers, body = edge.ask(vector["uri"], vector["method"])
    if "passes" in vector:
        path = vector["passes"]
        of_image = path.startswith(("/iiif/", "/presentation/"))
        upstream = edge.origin if of_image else edge.emulator
        expected = path if of_image else "/site-bucket" + path
        assert status == 200
        assert [uri for uri, _ in upstream.received] in ([expected], [])
        assert upstream.received or headers["x-cache"] == "HIT"
        return
    assert (status, headers.get("location")) == (vector["status"], vector.get("location"))
    assert headers["access-control-allow-origin"] == "*"
    assert not edge.origin.received
    assert not edge.emulator.received
    assert headers["x-cache"] in ("FUNCTION", "EDGE")
    if vector["method"] == "HEAD":
        assert body == b""
        return
    if vector["status"] == 301:
        assert json.loads(body) == {
            "status": 301,
            "reason": vector.get("reason", "this address names its API version"),
        }
    if "reason" in vector:
        reason = vector.get("nginx_reason", vector["reason"])
        assert json.loads(body) == {"status": status, "reason": reason}
        assert headers["content-type"] == "application/json"


def test_a_tile_is_fetched_once_whatever_the_query(edge: Edge) -> None:
    edge.origin.headers = {"Cache-Control": "public, max-age=60"}
    first = edge.ask(TILE.format("once") + "?a=1")
    second = edge.ask(TILE.format("once") + "?a=2")
    assert (first[1]["x-cache"], second[1]["x-cache"]) == ("MISS", "HIT")
    assert first[2] == second[2]
    assert len(edge.origin.received) == 1


def test_nothing_but_the_path_decides_what_is_kept_of_an_image(edge: Edge) -> None:
    edge.origin.headers = {"Cache-Control": "public, max-age=60", "Vary": "Accept"}
    edge.ask(TILE.format("vary"), Accept="image/webp")
    second = edge.ask(TILE.format("vary"), Accept="text/html")
    assert second[1]["x-cache"] == "HIT"
    assert "accept" not in edge.origin.received[0][1]


def test_image_information_is_kept_once_for_each_of_two_media_types(edge: Edge) -> None:
    edge.origin.headers = {"Cache-Control": "public, max-age=60", "Vary": "Accept"}
    linked = ["application/ld+json", "*/*", "application/ld+json, text/html;q=0.1"]
    plain = ["application/json", "text/html,*/*;q=0.8", "image/png"]
    answers_by_type = [
        [edge.ask("/iiif/3/types/info.json", Accept=accept) for accept in accepts]
        for accepts in (linked, plain)
    ]
    for answers in answers_by_type:
        assert [headers["x-cache"] for _, headers, _ in answers] == ["MISS", "HIT", "HIT"]
    received = [headers["accept"] for _, headers in edge.origin.received]
    assert received == ["application/ld+json", "application/json"]


def test_the_edge_keeps_for_s_maxage_not_for_max_age(edge: Edge) -> None:
    edge.origin.headers = {"Cache-Control": "public, max-age=0, s-maxage=60"}
    edge.ask(TILE.format("shared"))
    assert edge.ask(TILE.format("shared"))[1]["x-cache"] == "HIT"
    edge.origin.headers = {"Cache-Control": "public, max-age=60, s-maxage=0"}
    edge.ask(TILE.format("browser"))
    assert edge.ask(TILE.format("browser"))[1]["x-cache"] == "MISS"


def test_nothing_is_kept_that_the_origin_forbids(edge: Edge) -> None:
    for value in ("no-store", "private", "no-cache", "max-age=0"):
        edge.origin.headers = {"Cache-Control": value}
        edge.ask(TILE.format(value))
        assert edge.ask(TILE.format(value))[1]["x-cache"] == "MISS"


def test_a_good_answer_of_which_the_origin_says_nothing_is_kept(edge: Edge) -> None:
    edge.ask(TILE.format("silent"))
    assert edge.ask(TILE.format("silent"))[1]["x-cache"] == "HIT"


@pytest.mark.slow
@pytest.mark.parametrize("status", [400, 410, 429, 503])
def test_an_error_of_which_the_origin_says_nothing_is_not_kept_long(
    edge: Edge, status: int
) -> None:
    edge.origin.status = status
    address = TILE.format(f"error-{status}")
    assert edge.ask(address)[0] == status
    if status in ERROR_SECONDS:
        time.sleep(ERROR_SECONDS[status] + 1.1)
    edge.origin.status = 200
    assert edge.ask(address)[0] == 200


def test_a_gateway_that_answers_again_is_asked_at_once(edge: Edge) -> None:
    edge.origin.status = 502
    address = TILE.format("restarted")
    assert edge.ask(address)[0] == 502
    edge.origin.status = 200
    assert edge.ask(address)[0] == 200


def test_pages_are_kept_as_the_bucket_says(edge: Edge) -> None:
    edge.emulator.headers = {"Cache-Control": "public, max-age=60"}
    answers = [edge.ask(f"/kept.css?{number}") for number in range(2)]
    assert [headers["x-cache"] for _, headers, _ in answers] == ["MISS", "HIT"]
    assert {headers["access-control-allow-origin"] for _, headers, _ in answers} == {"*"}


def test_documents_are_compressed_and_images_are_not(edge: Edge) -> None:
    linked = 'application/ld+json;profile="http://iiif.io/api/image/3/context.json"'
    edge.origin.headers = {"Content-Type": linked, "ETag": 'W/"1"', "Vary": "Accept-Encoding"}
    edge.origin.padding = 300
    document = edge.ask("/iiif/3/small/info.json", Accept_Encoding="gzip")
    assert document[1]["content-encoding"] == "gzip"
    assert document[1]["vary"] == "Accept-Encoding", "once"
    plain = edge.ask("/iiif/3/small/info.json")
    assert "content-encoding" not in plain[1]
    # One weak validator for both forms, whose bytes differ.
    assert document[1]["etag"] == plain[1]["etag"] == 'W/"1"'
    again = edge.ask("/iiif/3/small/info.json", Accept_Encoding="gzip", If_None_Match='W/"1"')
    assert again[0] == 304
    image = edge.ask(TILE.format("small"), Accept_Encoding="gzip")
    assert "content-encoding" not in image[1]


def test_a_tombstone_is_not_kept(edge: Edge) -> None:
    edge.origin.status, edge.origin.headers = 410, {"Cache-Control": "public, max-age=60"}
    edge.ask(TILE.format("gone"))
    edge.ask(TILE.format("gone"))
    assert len(edge.origin.received) == 2


def test_twenty_cold_requests_reach_the_origin_once(edge: Edge) -> None:
    edge.origin.headers = {"Cache-Control": "public, max-age=60"}
    edge.origin.delay_seconds = 0.3
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: edge.ask(TILE.format("cold")), range(20)))
    assert {status for status, _, _ in answers} == {200}
    assert len(edge.origin.received) == 1


def test_a_purge_forgets_one_image_and_no_other(edge: Edge) -> None:
    addresses = [TILE.format("purged"), "/iiif/3/purged/info.json", TILE.format("kept")]
    for address in addresses:
        tag = "i-aa" if "purged" in address else "i-aab"
        edge.origin.headers = {"Cache-Control": "public, max-age=60", "Cache-Tag": tag}
        edge.ask(address)
    assert purge(edge.directory, ["i-aa"]) == 2
    states = [edge.ask(address)[1]["x-cache"] for address in addresses]
    assert states == ["MISS", "MISS", "HIT"]


@pytest.mark.slow
def test_a_failing_origin_is_covered_by_what_the_edge_has(edge: Edge) -> None:
    life = "public, max-age=1, stale-if-error=60"
    edge.origin.headers = {"Cache-Control": life}
    kept = edge.ask(TILE.format("covered"))[2]
    time.sleep(2.1)
    edge.origin.status = 503
    status, headers, body = edge.ask(TILE.format("covered"))
    assert (status, headers["x-cache"], body) == (200, "STALE", kept)


@pytest.mark.slow
def test_an_absent_origin_is_covered(short_lived: Edge) -> None:
    address = "/iiif/3/away/info.json"
    short_lived.origin.headers = {"Cache-Control": "public, max-age=1, stale-if-error=60"}
    kept = short_lived.ask(address)[2]
    short_lived.origin.stop()
    time.sleep(2.1)
    assert short_lived.ask(address)[::2] == (200, kept)


def test_an_absent_origin_is_said_in_small_json(lonely_edge: Edge) -> None:
    status, headers, body = lonely_edge.ask("/iiif/3/a/info.json")
    assert (status, headers["content-type"]) == (502, "application/json")
    assert json.loads(body) == {"status": 502, "reason": "the image service does not answer"}
    assert (headers["retry-after"], headers["access-control-allow-origin"]) == ("2", "*")


def test_the_origin_learns_nothing_that_a_viewer_sends_but_the_path(edge: Edge) -> None:
    viewer_headers = {
        "Host": "evil.example",
        "X-Forwarded-For": "198.51.100.7",
        "X-Forwarded-Host": "evil.example",
        "X-Forwarded-Proto": "gopher",
        "X-Viewer-Address": "198.51.100.7",
        "X-Viewer-Signals": "known,same-origin,evil.example",
        "Sec-Fetch-Site": "cross-site",
        "Referer": "https://Blog.example:8443/a?b#c",
        "X-Amzn-Trace-Id": "Root=1-00000000-000000000000000000000000",
        "X-Public-Base": "https://evil.example",
        "X-Request-Uri": "/iiif/3/other/info.json",
        "X-Edge-Distribution": "arn:aws:cloudfront::000000000000:distribution/other",
        "X-Original-URL": "/iiif/3/other/info.json",
        "X-HTTP-Method-Override": "DELETE",
        "Cookie": "a=b",
        "Authorization": "Basic YTpi",
        "Accept": "text/html",
        "Range": "bytes=0-1",
    }
    edge.ask("/iiif/3/host/info.json", **viewer_headers)
    received = dict(edge.origin.received)["/iiif/3/host/info.json"]
    # The edge gives each request a new name, and its log has that name.
    name = received.pop("x-amzn-trace-id").removeprefix("Root=")
    assert re.fullmatch("1-[0-9a-f]{8}-[0-9a-f]{24}", name)
    assert name.strip("0-1")
    deadline = time.monotonic() + 10  # nginx logs a request when it has been answered
    while name not in (edge.directory / "logs/access.log").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert received == {
        "host": f"127.0.0.1:{edge.port}",
        "x-forwarded-proto": "http",
        "x-viewer-address": "127.0.0.1",
        "x-viewer-signals": ",cross-site,blog.example",
        # For a Lambda; a task's nginx passes neither on.
        "x-public-base": f"http://127.0.0.1:{edge.port}",
        "x-request-uri": "/iiif/3/host/info.json",
        "accept": "application/json",
    }


def test_a_range_is_answered_with_all_and_cors_once(edge: Edge) -> None:
    edge.emulator.headers = {"Accept-Ranges": "bytes", "Cache-Control": "public, max-age=60"}
    whole = edge.ask("/whole.css")[2]
    for part in ("bytes=0-9", "bytes=99999999-"):
        status, headers, body = edge.ask("/whole.css", Range=part)
        assert (status, headers["x-cache"], body) == (200, "HIT", whole)
        assert headers["access-control-allow-origin"] == "*"


def test_pages_of_others_may_measure_what_comes_from_here(edge: Edge) -> None:
    for path in ("/timing.css", TILE.format("timing")):
        assert edge.ask(path)[1]["timing-allow-origin"] == "*"


def test_the_edge_listens_on_this_machine_only(running_edge: Edge) -> None:
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.2", running_edge.port), timeout=1)
