"""The viewer-request function in V8, with CloudFront's events."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from stacks.constructs.edge_function_code import FUNCTIONS, function_code
from tests.unit.edge.edge_function import event, rewritten, run_function
from tests.unit.edge.edge_vectors import VECTORS, Vector
from vitrine.edge import functions

ALL = {name: files for name, files in vars(functions).items() if name.isupper()}


@pytest.fixture(scope="module")
def answers() -> dict[str, Any]:
    events = [event(vector["method"], vector["uri"]) for vector in VECTORS]
    return dict(zip((vector["name"] for vector in VECTORS), run_function(events), strict=True))


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_the_function_answers_as_promised(vector: Vector, answers: dict[str, Any]) -> None:
    answer = answers[vector["name"]]
    if "passes" in vector:
        assert answer["uri"] == vector["passes"]
        assert answer["querystring"] == {}
        return
    assert answer["statusCode"] == vector["status"]
    assert answer["headers"].get("location", {}).get("value") == vector.get("location")
    assert answer["headers"]["access-control-allow-origin"]["value"] == "*"
    if vector["status"] == 204:
        assert "body" not in answer
        return
    body = json.loads(answer["body"]["data"])
    assert body["status"] == vector["status"]
    assert "reason" not in vector or body["reason"] == vector["reason"]


def test_the_text_that_is_deployed_answers_as_the_readable_one(
    tmp_path: Path, answers: dict[str, Any]
) -> None:
    (tmp_path / "deployed.js").write_text(function_code(functions.VIEWER_REQUEST))
    events = [event(vector["method"], vector["uri"]) for vector in VECTORS]
    expected = [answers[vector["name"]] for vector in VECTORS]
    assert run_function(events, ("deployed.js",), tmp_path) == expected


@pytest.mark.parametrize("files", ALL.values(), ids=ALL)
def test_every_function_leaves_room_for_more(files: tuple[str, ...]) -> None:
    """CloudFront takes 10,240 bytes; 2,000 stay free."""
    assert len(function_code(files).encode()) <= 8_240


def test_every_file_is_of_a_function() -> None:
    named = {name for files in ALL.values() for name in files}
    assert {path.name for path in FUNCTIONS.iterdir()} == named


@pytest.mark.parametrize("path", sorted(FUNCTIONS.iterdir()), ids=lambda path: path.name)
def test_every_file_stays_within_what_njs_knows(path: Path) -> None:
    source = re.sub(r"//.*|'[^'\n]*'", "", path.read_text())
    assert not re.search(r"\bof\b|(?:const|let|var)\s*[{\[]|\.\.\.", source)


def test_the_function_tells_the_origin_who_asks_whatever_the_viewer_says() -> None:
    viewer_event = event("GET", "/iiif/3/a/info.json")
    viewer_event["request"]["headers"]["x-viewer-address"] = {"value": "198.51.100.7"}
    (answer,) = run_function([viewer_event])
    assert answer["headers"]["x-viewer-address"] == {"value": "192.0.2.1"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sent", "signals"),
    [
        ({}, ",,"),
        ({"x-viewer-signals": "known,same-origin,museum.example"}, ",,"),
        ({"x-amzn-waf-bot": "known"}, "known,,"),
        ({"sec-fetch-site": "same-origin"}, ",same-origin,"),
        (
            {"referer": "https://WWW.museum.example/a?b=https://other.example/"},
            ",,www.museum.example",
        ),
        ({"referer": "http://museum.example:8080"}, ",,museum.example"),
        ({"referer": "https://museum.example@evil.example/"}, ",,"),
        ({"referer": "javascript:alert(1)", "sec-fetch-site": "a,b"}, ",,"),
        ({"referer": "https://" + "a" * 100}, ",,"),
    ],
)
def test_the_function_tells_the_origin_the_signals_of_who_asks_in_one_header(
    sent: dict[str, str], signals: str
) -> None:
    viewer_event = event("GET", "/iiif/3/a/info.json")
    viewer_event["request"]["headers"] |= {name: {"value": sent[name]} for name in sent}
    (answer,) = run_function([viewer_event])
    assert answer["headers"]["x-viewer-signals"] == {"value": signals}


def test_a_browser_at_a_base_address_gets_the_page_and_a_program_the_information() -> None:
    browser = "text/html,application/xhtml+xml,*/*;q=0.8"
    uri = "/iiif/3/ark:%2F12148%2Fb"
    page, *passed = run_function(
        [
            event("GET", uri, browser),
            event("GET", uri, "*/*"),
            event("GET", uri),
            event("GET", f"{uri}/full/max/0/default.jpg", browser),
        ]
    )
    assert (page["statusCode"], page["headers"]["location"]["value"]) == (
        303,
        "/objects/ark:%2F12148%2Fb",
    )
    # Whatever a cache keeps of one is not given to the other.
    assert page["headers"]["cache-control"]["value"] == "no-store"
    assert page["headers"]["vary"]["value"] == "Accept"
    assert [answer["uri"] for answer in passed] == [uri, uri, f"{uri}/full/max/0/default.jpg"]


def test_what_has_no_address_in_the_bucket_has_none_by_another_spelling() -> None:
    """CloudFront tells behaviors apart by the spelling, and S3 reads an escape as its character."""
    for uri in ("/inside%2Facross%2Flist", "/presentation%2fab", "/%69nside/ab/x"):
        (answer,) = run_function([event("GET", uri)])
        assert answer["statusCode"] == 404


def test_the_address_of_a_document_has_one_of_two_spellings_of_accept_whatever_it_names() -> None:
    # CloudFront's pattern for information takes the image named info.json as well.
    for uri in ("/iiif/3/a/info.json", "/iiif/3/info.json", "/presentation/2/a/manifest.json"):
        (answer,) = run_function([event("GET", uri, "x/y, text/html;level=7")])
        assert answer["headers"]["accept"]["value"] == "application/json"


@pytest.mark.slow
def test_documents_have_the_names_that_there_are_and_no_others() -> None:
    """What is let through is kept, answered or not, and asked of a Lambda."""
    names = ("manifest", "collection", "collection-2", "text-12", "annotations-3")
    paths = [f"/presentation/3/book/{name}.json" for name in names]
    paths += ["/presentation/3/book/object.pdf", "/presentation/3/book/text.txt"]
    assert rewritten(paths) == paths
    for name in ("text", "page-1", "annotations-0", "texts-1", "text-100000", "annotations"):
        (answer,) = run_function([event("GET", f"/presentation/3/book/{name}.json")])
        assert answer["statusCode"] == 404
