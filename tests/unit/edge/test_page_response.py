"""The function behind the site's bucket, in V8 as CloudFront would run it."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from stacks.constructs.edge_function_code import FUNCTIONS, function_code
from tests.unit.edge.edge_function import RUNNER
from vitrine.edge.functions import PAGE_RESPONSE

[READABLE] = (FUNCTIONS / name for name in PAGE_RESPONSE)


def respond(status: int, headers: dict[str, str], function: Path = READABLE) -> Any:
    """Return what the viewer gets of an answer of the bucket's."""
    response = {
        "statusCode": status,
        "statusDescription": "OK",
        "headers": {name: {"value": value} for name, value in headers.items()},
    }
    events = json.dumps([{"version": "1.0", "response": response}])
    done = subprocess.run(
        ["node", RUNNER, function], input=events, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)[0]


@pytest.mark.parametrize(
    ("written", "status", "description"),
    [
        ({"status": "410"}, 410, "Gone"),
        ({"status": "404"}, 404, "Not Found"),
        ({}, 200, "OK"),
        ({"status": "500"}, 200, "OK"),
        ({"status": "constructor"}, 200, "OK"),
    ],
)
def test_a_page_has_the_status_that_is_written_next_to_it(
    written: dict[str, str], status: int, description: str
) -> None:
    answer = respond(200, {f"x-amz-meta-{name}": value for name, value in written.items()})
    assert (answer["statusCode"], answer["statusDescription"]) == (status, description)
    assert answer["headers"] == {}


def test_a_redirect_has_its_location(tmp_path: Path) -> None:
    deployed = tmp_path / "deployed.js"
    deployed.write_text(function_code(PAGE_RESPONSE))
    stored = {"x-amz-meta-status": "301", "x-amz-meta-location": "/objects/a%252Fb", "etag": "1"}
    for function in (READABLE, deployed):
        answer = respond(200, stored, function)
        assert answer["statusCode"] == 301
        assert answer["headers"] == {
            "location": {"value": "/objects/a%2Fb"},
            "etag": {"value": "1"},
        }


def test_what_a_browser_has_already_keeps_its_status() -> None:
    assert respond(304, {"x-amz-meta-status": "410"})["statusCode"] == 304
