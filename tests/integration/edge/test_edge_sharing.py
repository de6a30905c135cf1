"""What the edge keeps is shared by all who mean the same, and forgotten when it must be."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.integration.edge.edge_client import EdgeClient
from tests.rigs.edge_rig import EdgeRig
from vitrine.adapters.nginx.edge_cache import purge
from vitrine.store.layout import cache_tag


@pytest.mark.parametrize(
    ("usual", "others"),
    [
        (
            "/iiif/3/plain.tif/full/max/0/default.jpg",
            [
                "/iiif/3/plain.tif/full/max/0/default.jpg?t=123",
                "/iiif/3/pl%61in.tif/full/max/0/default.jpg",
                "/iiif/3/plain.tif/full/max/360/color.jpg/",
                "/iiif/3/plain.tif/pct:0,0,100,100.0/max/0.0/default.jpg",
            ],
        ),
        (
            "/iiif/2/plain.tif/full/full/0/default.jpg",
            [
                "/iiif/2/plain.tif/full/pct:100/0/default.jpg",
                "/iiif/2/plain.tif/full/full/0/color.jpg",
            ],
        ),
        (
            "/iiif/3/plain.tif/info.json",
            ["/iiif/3/plain.tif/info.json?", "/iiif/3/plain%2Etif/info.json"],
        ),
    ],
)
def test_spellings_of_one_request_are_one_answer(
    edge: EdgeClient, rig: EdgeRig, usual: str, others: list[str]
) -> None:
    # Of an old answer, which others may have asked for, the next is given while it is renewed.
    purge(rig.directory, [cache_tag("plain.tif")])
    first = edge.ask(usual)
    assert (first.status, first.cache) == (200, "MISS")
    for other in others:
        answer = edge.ask(other)
        assert (answer.cache, answer.body) == ("HIT", first.body), other
        assert answer.headers["link" if "link" in first.headers else "etag"]
        head = edge.ask(other, "HEAD")
        assert (head.cache, head.body) == ("HIT", b"")
        assert head.headers["content-length"] == first.headers["content-length"]


def test_the_canonical_address_is_found_through_the_edge(edge: EdgeClient) -> None:
    link = edge.ask("/iiif/3/plain.tif/0,0,1300,1000/^!650,700/!360/color.jpg").headers["link"]
    canonical = link.partition(">")[0].removeprefix(f"<http://127.0.0.1:{edge.port}")
    assert canonical == "/iiif/3/plain.tif/full/650,500/!0/default.jpg"
    assert edge.ask(canonical).status == 200


def test_a_purge_by_tag_forgets_one_image(edge: EdgeClient, rig: EdgeRig) -> None:
    paths = [
        "/iiif/3/other.tif/full/!64,64/0/default.jpg",
        "/iiif/2/other.tif/info.json",
        "/iiif/3/other.tif/full/!64,64/0/no",
        "/iiif/3/plain.tif/full/!64,64/0/default.jpg",
    ]
    for path in paths:
        edge.ask(path)
    assert purge(rig.directory, [cache_tag("other.tif")]) >= 2
    assert [edge.ask(path).cache for path in paths] == ["MISS", "MISS", "FUNCTION", "HIT"]


def test_a_preflight_is_answered_at_the_edge(edge: EdgeClient) -> None:
    answer = edge.ask(
        "/iiif/3/plain.tif/info.json",
        "OPTIONS",
        Origin="https://viewer.example",
        Access_Control_Request_Method="GET",
        Access_Control_Request_Headers="x-anything",
    )
    assert (answer.status, answer.cache, answer.body) == (204, "FUNCTION", b"")
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["access-control-allow-headers"] == "*, Authorization"
    assert "GET" in answer.headers["access-control-allow-methods"]


def test_every_answer_has_cors_once(edge: EdgeClient) -> None:
    for path in (
        "/iiif/3/plain.tif/info.json",
        "/iiif/3/none/info.json",
        "/iiif/a",
        "/iiif/3/a/b/c",
    ):
        answer = edge.ask(path, Origin="https://viewer.example")
        assert answer.headers["access-control-allow-origin"] == "*", path


def test_one_viewer_gets_every_large_image_that_it_asks_for_at_once(edge: EdgeClient) -> None:
    paths = [f"/iiif/3/large.tif/{x},0,2000,2000/max/0/default.jpg" for x in range(1, 25)]
    with ThreadPoolExecutor(len(paths)) as pool:
        answers = list(pool.map(edge.ask, paths))
    assert [answer.status for answer in answers] == [200] * len(paths)


def test_a_body_does_not_hold_up_the_origin(rig: EdgeRig) -> None:
    origin = EdgeClient(rig.origin.port)
    request = b"GET /iiif/3/plain.tif/info.json HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
    (answer,) = origin.ask_raw(request + b"Content-Length: 4\r\n\r\nbody")
    assert answer.status == 200


def test_a_viewer_cannot_choose_the_address_it_is_known_by(edge: EdgeClient, rig: EdgeRig) -> None:
    marker = "/iiif/3/plain.tif/3,3,30,30/max/0/default.jpg"
    edge.ask(marker, X_Viewer_Address="198.51.100.7", X_Forwarded_For="198.51.100.7")
    (front,) = [item for item in rig.origin.running if item.name == "nginx"]
    deadline = time.monotonic() + 10  # nginx keeps lines to itself for a second
    while not (
        lines := [item for item in Path(front.log).read_text().splitlines() if marker in item]
    ):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert json.loads(lines[0])["viewer"] == "127.0.0.1"
