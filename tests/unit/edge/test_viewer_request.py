"""The viewer-request function in V8, with CloudFront's events."""

import json
import re
import subprocess
from typing import Any

import pytest
from edge_vectors import FUNCTION, VECTORS, Vector


def _event(vector: Vector) -> dict[str, Any]:
    path, _, query = vector["uri"].partition("?")
    pairs = (pair.partition("=") for pair in query.split("&") if pair)
    return {
        "version": "1.0",
        "viewer": {"ip": "192.0.2.1"},
        "request": {
            "method": vector["method"],
            "uri": path,
            "querystring": {name: {"value": value} for name, _, value in pairs},
            "headers": {"host": {"value": "images.example.org"}},
            "cookies": {},
        },
    }


@pytest.fixture(scope="module")
def answers() -> dict[str, Any]:
    runner = FUNCTION.parents[2] / "tests/unit/edge/run_function.js"
    done = subprocess.run(
        ["node", runner, FUNCTION],
        input=json.dumps([_event(vector) for vector in VECTORS]),
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(zip((vector["name"] for vector in VECTORS), json.loads(done.stdout), strict=True))


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
    body = json.loads(answer["body"]["data"])
    assert body["status"] == vector["status"]
    assert "reason" not in vector or body["reason"] == vector["reason"]


def test_the_function_fits_cloudfront() -> None:
    assert len(FUNCTION.read_bytes()) < 10_240


def test_the_function_stays_within_what_njs_knows() -> None:
    source = re.sub(r"//.*", "", FUNCTION.read_text())
    assert not re.search(r"\bof\b|(?:const|let|var)\s*[{\[]|\.\.\.", source)
