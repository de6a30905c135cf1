"""What goes with the pixels: information, redirects, errors, headers; all through nginx."""

import json
from http.client import HTTPConnection
from typing import Any

import pytest
import requests

from tests.integration.deliver.deliver_rig import Rig, StartRig

MEDIA = ("json", "ld+json")
IMAGE = "/iiif/3/plain/full/!100,100/0/default.jpg"
TILE = "/iiif/3/plain/0,0,256,256/256,256/0/default.jpg"


def ask(rig: Rig, path: str, method: str = "GET", **headers: str) -> requests.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return requests.request(
        method, f"{rig.url}{path}", headers=named, timeout=30, allow_redirects=False
    )


def test_information_names_the_host_that_was_asked(rig: Rig) -> None:
    three = ask(rig, "/iiif/3/plain/info.json", Host="images.example.org:8443").json()
    assert three["id"] == "http://images.example.org:8443/iiif/3/plain"
    assert three["type"] == "ImageService3"
    assert (three["width"], three["height"]) == (1300, 1000)
    assert three["tiles"] == [{"width": 256, "scaleFactors": [1, 2, 4, 8]}]
    assert three["maxArea"] == 25_000_000
    two = ask(rig, "/iiif/2/plain/info.json", Host="images.example.org").json()
    assert two["@id"] == "http://images.example.org/iiif/2/plain"
    assert two["profile"][0] == "http://iiif.io/api/image/2/level2.json"


def test_a_public_base_url_goes_before_the_host(start_rig: StartRig) -> None:
    rig = start_rig(VITRINE_PUBLIC_BASE_URL="https://iiif.museum.example")
    assert ask(rig, "/iiif/3/plain/info.json").json()["id"] == (
        "https://iiif.museum.example/iiif/3/plain"
    )
    link = ask(rig, IMAGE).headers["link"]
    assert "<https://iiif.museum.example/iiif/3/plain/full/100,77/0/default.jpg>" in link


def test_information_needs_no_access_master(rig: Rig) -> None:
    assert ask(rig, "/iiif/3/vanished/info.json").status_code == 200
    assert "vanished.tif" not in rig.downloads


def test_every_size_the_information_names_is_delivered(rig: Rig) -> None:
    for size in ask(rig, "/iiif/3/odd/info.json").json()["sizes"]:
        path = f"/iiif/3/odd/full/{size['width']},{size['height']}/0/default.jpg"
        assert ask(rig, path).status_code == 200


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
def test_a_redirect_keeps_what_was_asked(rig: Rig, path: str, status: int, location: str) -> None:
    response = ask(rig, path)
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
        ("/iiif/3/plain/full/max/0/default.jp2", 400),
        ("/iiif/3/plain/full/max/22.5/default.jpg", 400),
        ("/iiif/2/plain/full/^max/0/default.jpg", 400),
        ("/iiif/3/plain/full/^9999,9999/0/default.jpg", 400),
        ("/iiif/3/plain/full/max/0", 400),
        ("/iiif/3/%ff/info.json", 400),
        ("/iiif/3/a%zz/info.json", 400),
        ("/iiif/3/a%00b/info.json", 400),
        ("/iiif/3/plain/%00/max/0/default.jpg", 400),
        ("/iiif/3/plain/full%2Fmax/0/default.jpg", 400),
        ("/iiif/3/..%2F..%2Fetc%2Fpasswd/full/max/0/default.jpg", 400),
        ("/iiif/3/nobody/info.json", 404),
        ("/.derivative/0123", 404),
        ("/.error", 404),
        ("/iiif/3/lost/info.json", 410),
        ("/iiif/3/lost/full/max/0/default.jpg", 410),
        ("/iiif/3/plain/full/^20000,100/0/default.webp", 400),
        ("/iiif/3/vanished/full/max/0/default.jpg", 503),
    ],
)
def test_a_refusal_is_small_json_with_its_reason(rig: Rig, path: str, status: int) -> None:
    connection = HTTPConnection("127.0.0.1", rig.port, timeout=30)
    connection.request("GET", path)  # unlike requests, it leaves the path as it is
    response = connection.getresponse()
    document: dict[str, Any] = json.loads(response.read())
    connection.close()
    assert response.status == status, document
    assert response.getheader("content-type") == "application/json"
    assert response.msg.get_all("access-control-allow-origin") == ["*"]
    assert document["status"] == status
    assert document["reason"]


def test_a_tombstone_says_why(rig: Rig) -> None:
    assert "rights" in ask(rig, "/iiif/3/lost/info.json").json()["reason"]


def test_an_output_beyond_the_limit_is_refused_and_max_stays_within(start_rig: StartRig) -> None:
    rig = start_rig(VITRINE_MAXIMUM_OUTPUT_PIXELS="100000")
    assert ask(rig, "/iiif/3/plain/full/1300,1000/0/default.jpg").status_code == 400
    assert ask(rig, "/iiif/3/plain/full/max/0/default.jpg").status_code == 200
    document = ask(rig, "/iiif/3/plain/info.json").json()
    assert document["maxArea"] == 100_000
    assert all(size["width"] * size["height"] <= 100_000 for size in document["sizes"])


def test_an_image_carries_its_headers(rig: Rig) -> None:
    headers = ask(rig, "/iiif/3/plain/pct:0,0,100,100/!100,100/0/default.jpg").headers
    assert headers["cache-control"] == (
        "public, max-age=300, s-maxage=2592000, stale-while-revalidate=60, stale-if-error=86400"
    )
    assert headers["etag"].startswith('"0123456789abcdef-')
    assert headers["link"] == (
        f'<{rig.url}/iiif/3/plain/full/100,77/0/default.jpg>;rel="canonical", '
        '<http://iiif.io/api/image/3/level2.json>;rel="profile"'
    )
    assert len(headers["cache-tag"]) == 34
    assert int(headers["content-length"]) > 500
    assert "iipsrv" not in headers.get("server", "").lower()


@pytest.mark.parametrize(
    "path", [IMAGE, "/iiif/3/plain/info.json", "/iiif/3/nobody/info.json", "/iiif/3/plain"]
)
def test_cors_is_sent_exactly_once(rig: Rig, path: str) -> None:
    response = ask(rig, path, Origin="https://viewer.example")
    assert response.raw.headers.getlist("access-control-allow-origin") == ["*"]


@pytest.mark.parametrize(
    "path",
    [
        "/iiif/3/plain/pct:10.5,10,33.3,50/,77/!270/color.jpg",
        "/iiif/3/plain/square/pct:12.5/360/gray.jpg",
        "/iiif/2/plain/1200,900,999,999/!50,50/0.0/bitonal.jpg",
        "/iiif/2/odd/full/,200/90/default.jpg",
    ],
)
def test_the_canonical_address_gives_the_same_bytes(rig: Rig, path: str) -> None:
    requested = ask(rig, path)
    canonical = requested.links["canonical"]["url"].removeprefix(rig.url)
    again = ask(rig, canonical)
    assert canonical != path
    assert (again.status_code, again.content) == (200, requested.content)
    assert again.links["canonical"]["url"].removeprefix(rig.url) == canonical


def test_options_says_what_is_allowed(rig: Rig) -> None:
    response = ask(rig, IMAGE, "OPTIONS", Origin="https://viewer.example")
    assert (response.status_code, response.text) == (204, "")
    assert response.headers["access-control-allow-methods"] == "GET, HEAD, OPTIONS"
    assert response.headers["allow"] == "GET, HEAD, OPTIONS"


@pytest.mark.parametrize("method", ["DELETE", "TRACE"])
def test_other_methods_are_refused_by_the_gateway_and_by_nginx_alike(rig: Rig, method: str) -> None:
    response = ask(rig, IMAGE, method)
    assert (response.status_code, response.json()["status"]) == (405, 405)
    assert response.headers["allow"] == "GET, HEAD, OPTIONS"


@pytest.mark.parametrize("path", [IMAGE, "/iiif/3/plain/info.json"])
def test_head_is_get_without_the_body(rig: Rig, path: str) -> None:
    get, head = (ask(rig, path, method, Accept_Encoding="identity") for method in ("GET", "HEAD"))
    assert (head.status_code, head.content) == (200, b"")
    for name in ("content-length", "content-type", "etag", "cache-control"):
        assert head.headers[name] == get.headers[name]


@pytest.mark.parametrize("path", [IMAGE, TILE, "/iiif/3/plain/info.json"])
def test_a_known_answer_is_not_sent_again(rig: Rig, path: str) -> None:
    etag = ask(rig, path).headers["etag"]
    for method in ("GET", "HEAD"):
        known = ask(rig, path, method, If_None_Match=f'W/"other", {etag}')
        assert (known.status_code, known.content) == (304, b"")
        assert known.headers["etag"] == etag
        assert not {"content-length", "content-type", "last-modified"} & set(known.headers)
        assert known.headers["cache-control"].startswith("public, max-age=")
        assert known.headers["access-control-allow-origin"] == "*"
        assert known.headers.get("vary") == ("Accept" if path.endswith(".json") else None)
    assert ask(rig, path, If_None_Match='"other"').status_code == 200


def test_information_follows_the_accept_header(rig: Rig) -> None:
    def media_type(path: str, accept: str) -> str:
        return ask(rig, path, Accept=accept).headers["content-type"]

    linked = 'application/ld+json;profile="http://iiif.io/api/image/3/context.json"'
    assert media_type("/iiif/3/plain/info.json", "*/*") == linked
    assert media_type("/iiif/3/plain/info.json", "application/json") == "application/json"
    assert media_type("/iiif/2/plain/info.json", "*/*") == "application/json"
    assert media_type("/iiif/2/plain/info.json", "application/ld+json") == "application/ld+json"


@pytest.mark.parametrize("version", [2, 3])
def test_each_media_type_of_information_has_an_etag_of_its_own(rig: Rig, version: int) -> None:
    path = f"/iiif/{version}/plain/info.json"
    tags = [ask(rig, path, Accept=f"application/{type_}").headers["etag"] for type_ in MEDIA]
    assert len(set(tags)) == len(MEDIA)
    for type_, tag in zip(MEDIA, tags, strict=True):
        statuses = [
            ask(rig, path, Accept=f"application/{type_}", If_None_Match=named).status_code
            for named in tags
        ]
        assert statuses == [304 if named == tag else 200 for named in tags]


def test_plain_json_names_the_context_that_makes_it_json_ld(rig: Rig) -> None:
    plain, linked = (
        ask(rig, "/iiif/2/plain/info.json", Accept=f"application/{type_}") for type_ in MEDIA
    )
    assert plain.links["http://www.w3.org/ns/json-ld#context"] == {
        "url": "http://iiif.io/api/image/2/context.json",
        "rel": "http://www.w3.org/ns/json-ld#context",
        "type": "application/ld+json",
    }
    assert set(linked.links) == {"describedby"}
    assert plain.json() == linked.json()


@pytest.mark.parametrize("type_", MEDIA)
def test_information_is_compressed_for_those_who_take_it(rig: Rig, type_: str) -> None:
    path = "/iiif/3/plain/info.json"
    # As CloudFront asks: it compresses itself, but not JSON-LD.
    packed = ask(rig, path, Accept=f"application/{type_}", Accept_Encoding="gzip", Via="1.1 edge")
    plain = ask(rig, path, Accept=f"application/{type_}", Accept_Encoding="identity")
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.json() == plain.json()
    varied = {name.strip() for name in packed.headers["vary"].split(",")}
    assert varied == {"Accept", "Accept-Encoding"}
    # One weak validator: it does not say that the bytes are the same.
    assert packed.headers["etag"] == plain.headers["etag"]
    assert packed.headers["etag"].startswith('W/"')


def test_a_query_changes_nothing(rig: Rig) -> None:
    assert ask(rig, f"{IMAGE}?v=1&x=%2F").status_code == 200


def test_refusals_of_nginx_itself_are_json(rig: Rig) -> None:
    response = ask(rig, f"/iiif/3/{'x' * 40_000}/info.json")
    assert (response.status_code, response.json()["status"]) == (414, 414)
    response = ask(rig, IMAGE, X_Long="x" * 40_000)
    assert (response.status_code, response.json()["reason"]) == (400, "the request cannot be read")
    response = requests.post(rig.url + IMAGE, data=b"x" * 2_000, timeout=30)
    assert (response.status_code, response.json()["status"]) == (413, 413)
