"""Events of the gateway become requests: paths decoded once, callers named, bodies as they came."""

import base64
import json
from typing import Any

import pytest

from tests.unit.api.api_bench import ApiBench, letter
from vitrine.adapters.aws.http_api import request_of, response_event
from vitrine.api.application import answer
from vitrine.api.http import ApiResponse


def event(path: str = "/objects", method: str = "GET", **more: Any) -> dict[str, Any]:
    """Return an event as the gateway sends it (payload format 2.0)."""
    authorizer = more.pop("authorizer", {"iam": {"userArn": "arn:aws:iam::1:user/a"}})
    return {
        "rawPath": path,
        "rawQueryString": "",
        "headers": {},
        "requestContext": {"http": {"method": method}, "authorizer": authorizer},
        "isBase64Encoded": False,
        **more,
    }


@pytest.mark.parametrize(
    ("path", "expected"),
    [("/objects/a b/ü", "/objects/a b/ü"), ("/objects/100%25", "/objects/100%")],
)
def test_a_path_is_decoded_once(path: str, expected: str) -> None:
    assert request_of(event(path)).path == expected


@pytest.mark.parametrize(
    ("authorizer", "caller"),
    [
        (
            {"iam": {"userArn": "arn:aws:sts::1:assumed-role/x/y"}},
            "arn:aws:sts::1:assumed-role/x/y",
        ),
        ({"jwt": {"claims": {"iss": "https://a", "sub": "7"}}}, "https://a 7"),
        ({"jwt": {"claims": {"iss": "https://a", "client_id": "cms"}}}, "https://a cms"),
        ({"jwt": {"claims": {"iss": "https://a"}}}, ""),
        ({"iam": {"userArn": None}}, ""),
        (None, ""),
    ],
)
def test_the_caller_is_whom_the_gateway_names(authorizer: Any, caller: str) -> None:
    request = request_of(event(authorizer=authorizer))
    assert request.caller == caller
    bench = ApiBench()
    assert answer(bench.services, request).status == (200 if caller else 401)


def test_bodies_come_as_text_or_as_base64() -> None:
    record = json.dumps(letter())
    for body, encoded in ((record, False), (base64.b64encode(record.encode()).decode(), True)):
        bench = ApiBench("one", "two")
        put = event("/objects/letter", "PUT", body=body, isBase64Encoded=encoded)
        put["headers"] = {"Content-Type": "application/json", "If-None-Match": "*"}
        assert response_event(answer(bench.services, request_of(put)))["statusCode"] == 201


def test_a_compressed_answer_goes_back_as_base64() -> None:
    made = response_event(
        ApiResponse(status=200, headers={"content-encoding": "gzip"}, body=b"\x1f\x8b")
    )
    assert (made["isBase64Encoded"], base64.b64decode(made["body"])) == (True, b"\x1f\x8b")
