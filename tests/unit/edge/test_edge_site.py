"""What the edge nginx says of the site's pages, and what it keeps of their bucket to itself."""

import json

import pytest

from tests.unit.edge.edge_bench import Edge
from vitrine.deliver.http.headers import CORS
from vitrine.edge.missing_page import MISSING_PAGE
from vitrine.edge.policies import REMOVED_HEADERS

pytestmark = pytest.mark.enable_socket
TILE = "/iiif/3/{}/0,0,256,256/256,256/0/default.jpg"


def test_a_missing_page_is_said_by_a_page(edge: Edge) -> None:
    for refusal in (403, 404):
        edge.emulator.status = refusal
        status, headers, body = edge.ask("/objects/nothing")
        assert (status, headers["content-type"]) == (404, "text/html")
        assert body.decode() == MISSING_PAGE
        assert headers["content-security-policy"].startswith("default-src 'none'; ")
        assert edge.ask("/objects/nothing", "HEAD")[0] == 404


def test_a_page_is_answered_with_the_status_that_is_written_next_to_it(edge: Edge) -> None:
    edge.emulator.headers = {"x-amz-meta-status": "410"}
    status, headers, body = edge.ask("/objects/withdrawn")
    assert (status, json.loads(body)["path"]) == (410, "/site-bucket/objects/withdrawn")
    assert not [name for name in headers if name.startswith("x-amz")]


def test_a_redirect_leads_where_it_is_written_also_from_the_cache(edge: Edge) -> None:
    edge.emulator.headers = {
        "x-amz-meta-status": "301",
        "x-amz-meta-location": "/objects/a%252Fb",
        "Cache-Control": "max-age=60",
    }
    for _ in range(2):
        status, headers, _ = edge.ask("/objects/renamed")
        assert (status, headers["location"]) == (301, "/objects/a%2Fb")
    assert headers["x-cache"] == "HIT"
    assert not [name for name in headers if name.startswith("x-amz")]


def test_no_header_of_an_image_sets_a_status(edge: Edge) -> None:
    edge.origin.headers = {"x-amz-meta-status": "410"}
    assert edge.ask(TILE.format("steady"))[0] == 200


def test_cors_is_said_once_whatever_the_bucket_says(edge: Edge) -> None:
    edge.emulator.headers = {"Access-Control-Allow-Origin": "https://elsewhere.example"}
    headers = edge.ask("/gallery.json")[1]
    assert headers["access-control-allow-origin"] == "*"
    assert headers["access-control-expose-headers"] == dict(CORS)["access-control-expose-headers"]


def test_only_a_page_that_is_made_for_it_may_be_framed_by_anybody(edge: Edge) -> None:
    framed, page = (
        edge.ask(path)[1]["content-security-policy"] for path in ("/embed/a", "/objects/a")
    )
    assert framed.endswith("; frame-ancestors *")
    assert page.endswith("; frame-ancestors 'self'")
    for policy in (framed, page):
        assert "require-trusted-types-for 'script'; trusted-types 'none'" in policy
        assert "unsafe" not in policy


def test_viewers_of_others_run_in_a_sandbox(edge: Edge) -> None:
    policy = edge.ask("/viewers/mirador.html")[1]["content-security-policy"]
    assert "; sandbox allow-scripts " in policy
    assert "allow-same-origin" not in policy
    assert policy.endswith("; frame-ancestors 'self'")


def test_the_page_says_what_it_may_do_and_who_may_frame_it(edge: Edge) -> None:
    headers = edge.ask("/")[1]
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; ")
    assert policy.endswith("; frame-ancestors 'self'")
    assert headers["referrer-policy"] == "no-referrer"
    assert "camera=()" in headers["permissions-policy"]
    # An image may be shown anywhere.
    assert "content-security-policy" not in edge.ask(TILE.format("framed"))[1]


def test_the_bucket_says_nothing_of_itself(edge: Edge) -> None:
    edge.emulator.headers = dict.fromkeys(REMOVED_HEADERS, "1")
    assert not [name for name in edge.ask("/bare.css")[1] if name.startswith("x-amz")]
