"""What goes with the pixels: information, redirects, errors, headers; all through nginx."""

import json
from http.client import HTTPConnection
from typing import Any

import pytest
import requests
from deliver_bed import Bed, StartBed

IMAGE = "/iiif/3/plain/full/!100,100/0/default.jpg"


def ask(bed: Bed, path: str, method: str = "GET", **headers: str) -> requests.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return requests.request(
        method, f"{bed.url}{path}", headers=named, timeout=30, allow_redirects=False
    )


def test_information_names_the_host_that_was_asked(bed: Bed) -> None:
    three = ask(bed, "/iiif/3/plain/info.json", Host="images.example.org:8443").json()
    assert three["id"] == "http://images.example.org:8443/iiif/3/plain"
    assert three["type"] == "ImageService3"
    assert (three["width"], three["height"]) == (1300, 1000)
    assert three["tiles"] == [{"width": 256, "scaleFactors": [1, 2, 4, 8]}]
    assert three["maxArea"] == 25_000_000
    two = ask(bed, "/iiif/2/plain/info.json", Host="images.example.org").json()
    assert two["@id"] == "http://images.example.org/iiif/2/plain"
    assert two["profile"][0] == "http://iiif.io/api/image/2/level1.json"


def test_a_public_base_url_goes_before_the_host(start_bed: StartBed) -> None:
    bed = start_bed(VITRINE_PUBLIC_BASE_URL="https://iiif.museum.example")
    assert ask(bed, "/iiif/3/plain/info.json").json()["id"] == (
        "https://iiif.museum.example/iiif/3/plain"
    )
    link = ask(bed, IMAGE).headers["link"]
    assert "<https://iiif.museum.example/iiif/3/plain/full/100,77/0/default.jpg>" in link


def test_information_needs_no_access_master(bed: Bed) -> None:
    assert ask(bed, "/iiif/3/vanished/info.json").status_code == 200
    assert "vanished.tif" not in bed.downloads


def test_every_size_the_information_names_is_delivered(bed: Bed) -> None:
    for size in ask(bed, "/iiif/3/odd/info.json").json()["sizes"]:
        path = f"/iiif/3/odd/full/{size['width']},{size['height']}/0/default.jpg"
        assert ask(bed, path).status_code == 200


@pytest.mark.parametrize(
    ("path", "status", "location"),
    [
        ("/iiif/plain/info.json", 301, "/iiif/3/plain/info.json"),
        ("/iiif/plain/full/max/0/default.jpg", 301, "/iiif/3/plain/full/max/0/default.jpg"),
        ("/iiif/plain/full/full/0/default.jpg", 301, "/iiif/2/plain/full/full/0/default.jpg"),
        ("/iiif/plain", 301, "/iiif/3/plain"),
        ("/iiif/3/plain", 303, "/iiif/3/plain/info.json"),
        ("/iiif/3/plain/", 303, "/iiif/3/plain/info.json"),
        ("/iiif/a%2Fb%252Fc%20%C3%A9/info.json", 301, "/iiif/3/a%2Fb%252Fc%20%C3%A9/info.json"),
        ("/iiif/3/old/info.json", 301, "/iiif/3/plain/info.json"),
        ("/iiif/2/old/0,0,9,9/9,/!90/gray.jpg", 301, "/iiif/2/plain/0,0,9,9/9,/!90/gray.jpg"),
    ],
)
def test_a_redirect_keeps_what_was_asked(bed: Bed, path: str, status: int, location: str) -> None:
    response = ask(bed, path)
    assert (response.status_code, response.headers["location"]) == (status, location)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/iiif/3/plain/full/full/0/default.jpg", 400),
        ("/iiif/3/plain/9999,0,1,1/max/0/default.jpg", 400),
        ("/iiif/3/plain/0,0,0,1/max/0/default.jpg", 400),
        ("/iiif/3/plain/full/2600,/0/default.jpg", 400),
        ("/iiif/3/plain/full/0,/0/default.jpg", 400),
        ("/iiif/3/plain/full/max/361/default.jpg", 400),
        ("/iiif/3/plain/full/max/0/native.jpg", 400),
        ("/iiif/3/plain/full/max/0/default.bmp", 400),
        ("/iiif/3/plain/full/max/0", 400),
        ("/iiif/3/%ff/info.json", 400),
        ("/iiif/3/a%zz/info.json", 400),
        ("/iiif/3/a%00b/info.json", 400),
        ("/iiif/3/..%2F..%2Fetc%2Fpasswd/full/max/0/default.jpg", 404),
        ("/iiif/3/nobody/info.json", 404),
        ("/nowhere", 404),
        ("/iiif/3/lost/info.json", 410),
        ("/iiif/3/lost/full/max/0/default.jpg", 410),
        ("/iiif/3/plain/full/max/0/default.png", 501),
        ("/iiif/3/plain/full/^2600,/0/default.jpg", 501),
        ("/iiif/2/plain/full/2600,/0/default.jpg", 501),
        ("/iiif/3/plain/full/max/22.5/default.jpg", 501),
        ("/iiif/3/vanished/full/max/0/default.jpg", 503),
    ],
)
def test_a_refusal_is_small_json_with_its_reason(bed: Bed, path: str, status: int) -> None:
    connection = HTTPConnection("127.0.0.1", bed.port, timeout=30)
    connection.request("GET", path)  # unlike requests, it leaves the path as it is
    response = connection.getresponse()
    document: dict[str, Any] = json.loads(response.read())
    connection.close()
    assert response.status == status, document
    assert response.getheader("content-type") == "application/json"
    assert response.msg.get_all("access-control-allow-origin") == ["*"]
    assert document["status"] == status
    assert document["reason"]


def test_a_tombstone_says_why(bed: Bed) -> None:
    assert "rights" in ask(bed, "/iiif/3/lost/info.json").json()["reason"]


def test_an_output_beyond_the_limit_is_refused_and_max_stays_within(start_bed: StartBed) -> None:
    bed = start_bed(VITRINE_MAXIMUM_OUTPUT_PIXELS="100000")
    assert ask(bed, "/iiif/3/plain/full/1300,1000/0/default.jpg").status_code == 400
    assert ask(bed, "/iiif/3/plain/full/max/0/default.jpg").status_code == 200
    document = ask(bed, "/iiif/3/plain/info.json").json()
    assert document["maxArea"] == 100_000
    assert all(size["width"] * size["height"] <= 100_000 for size in document["sizes"])


def test_an_image_carries_its_headers(bed: Bed) -> None:
    headers = ask(bed, "/iiif/3/plain/pct:0,0,100,100/!100,100/0/default.jpg").headers
    assert headers["cache-control"] == "public, max-age=300, s-maxage=300"
    assert headers["etag"] == '"0123456789abcdef-1"'
    assert headers["link"] == (
        f'<{bed.url}/iiif/3/plain/full/100,77/0/default.jpg>;rel="canonical", '
        '<http://iiif.io/api/image/3/level1.json>;rel="profile"'
    )
    assert len(headers["cache-tag"]) == 34
    assert int(headers["content-length"]) > 500
    assert "iipsrv" not in headers.get("server", "").lower()


@pytest.mark.parametrize(
    "path", [IMAGE, "/iiif/3/plain/info.json", "/iiif/3/nobody/info.json", "/iiif/3/plain"]
)
def test_cors_is_sent_exactly_once(bed: Bed, path: str) -> None:
    response = ask(bed, path, Origin="https://viewer.example")
    assert response.raw.headers.getlist("access-control-allow-origin") == ["*"]


def test_options_says_what_is_allowed(bed: Bed) -> None:
    response = ask(bed, IMAGE, "OPTIONS", Origin="https://viewer.example")
    assert (response.status_code, response.text) == (204, "")
    assert response.headers["access-control-allow-methods"] == "GET, HEAD, OPTIONS"
    assert response.headers["allow"] == "GET, HEAD, OPTIONS"


def test_other_methods_are_refused(bed: Bed) -> None:
    response = ask(bed, IMAGE, "DELETE")
    assert (response.status_code, response.json()["status"]) == (405, 405)
    assert response.headers["allow"] == "GET, HEAD, OPTIONS"


@pytest.mark.parametrize("path", [IMAGE, "/iiif/3/plain/info.json"])
def test_head_is_get_without_the_body(bed: Bed, path: str) -> None:
    get, head = ask(bed, path), ask(bed, path, "HEAD")
    assert (head.status_code, head.content) == (200, b"")
    for name in ("content-length", "content-type", "etag", "cache-control"):
        assert head.headers[name] == get.headers[name]


@pytest.mark.parametrize("path", [IMAGE, "/iiif/3/plain/info.json"])
def test_a_known_answer_is_not_sent_again(bed: Bed, path: str) -> None:
    etag = ask(bed, path).headers["etag"]
    known = ask(bed, path, If_None_Match=f'W/"other", {etag}')
    assert (known.status_code, known.content) == (304, b"")
    assert known.headers["etag"] == etag
    assert ask(bed, path, If_None_Match='"other"').status_code == 200


def test_information_follows_the_accept_header(bed: Bed) -> None:
    def media_type(path: str, accept: str) -> str:
        return ask(bed, path, Accept=accept).headers["content-type"]

    linked = 'application/ld+json;profile="http://iiif.io/api/image/3/context.json"'
    assert media_type("/iiif/3/plain/info.json", "*/*") == linked
    assert media_type("/iiif/3/plain/info.json", "application/json") == "application/json"
    assert media_type("/iiif/2/plain/info.json", "*/*") == "application/json"
    assert media_type("/iiif/2/plain/info.json", "application/ld+json") == "application/ld+json"


def test_a_query_changes_nothing(bed: Bed) -> None:
    assert ask(bed, f"{IMAGE}?v=1&x=%2F").status_code == 200


def test_what_nginx_refuses_itself_is_json_too(bed: Bed) -> None:
    response = ask(bed, f"/iiif/3/{'x' * 40_000}/info.json")
    assert (response.status_code, response.json()["status"]) == (414, 414)


def test_the_access_log_is_json_lines(bed: Bed) -> None:
    ask(bed, "/iiif/3/plain/info.json?marker=%22quoted%22", User_Agent='a "quoted" \\ agent')
    lines = [line for line in bed.log("nginx").splitlines() if "marker=" in line]
    entry = json.loads(lines[-1])
    assert (entry["method"], entry["status"]) == ("GET", 200)
    assert entry["user_agent"] == 'a "quoted" \\ agent'
