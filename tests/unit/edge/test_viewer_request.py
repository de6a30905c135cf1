"""The viewer-request function in V8, with CloudFront's events."""

import json
import re
from typing import Any

import pytest

from tests.unit.edge.edge_function import event, run_function
from tests.unit.edge.edge_vectors import FUNCTION, VECTORS, Vector


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


def test_the_function_fits_cloudfront() -> None:
    assert len(FUNCTION.read_bytes()) < 10_240


def test_the_function_stays_within_what_njs_knows() -> None:
    source = re.sub(r"//.*|'[^'\n]*'", "", FUNCTION.read_text())
    assert not re.search(r"\bof\b|(?:const|let|var)\s*[{\[]|\.\.\.", source)


def test_the_function_tells_the_origin_who_asks_whatever_the_viewer_says() -> None:
    viewer_event = event("GET", "/iiif/3/a/info.json")
    viewer_event["request"]["headers"]["x-viewer-address"] = {"value": "198.51.100.7"}
    (answer,) = run_function([viewer_event])
    assert answer["headers"]["x-viewer-address"] == {"value": "192.0.2.1"}
