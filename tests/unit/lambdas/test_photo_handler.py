"""The photo door's Lambda, called as an HTTP API calls it."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from lambdas.answer_photo import handler as step
from tests.unit.lambdas.lambda_functions import Context
from tests.unit.photos.photo_bench import PhotoBench, form_data, photograph
from vitrine.errors import TransientError


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PhotoBench:
    bench = PhotoBench(tmp_path)
    monkeypatch.setattr(step, "function_services", lambda: bench.services)
    return bench


def call(body: bytes, method: str = "POST", query: str = "", **headers: str) -> dict[str, Any]:
    """Return what the handler answers to an event of payload format 2.0."""
    event = {
        "version": "2.0",
        "routeKey": "ANY /photos",
        "rawPath": "/photos",
        "rawQueryString": query,
        "headers": {name.replace("_", "-"): value for name, value in headers.items()},
        "requestContext": {"http": {"method": method, "path": "/photos"}},
        "isBase64Encoded": True,
        "body": base64.b64encode(body).decode(),
    }
    answer = step.handler(event, Context())
    assert isinstance(answer, dict)
    return answer


def test_bytes_come_and_go_as_base64(bench: PhotoBench) -> None:
    answer = call(photograph(), authorization=f"Bearer {bench.token()}", content_type="image/jpeg")
    assert (answer["statusCode"], answer["isBase64Encoded"]) == (201, True)
    assert base64.b64decode(answer["body"]).count(b"\xff\xd8\xff") == 3
    body, content_type = form_data({"token": bench.token(), "thumbnails": "small"}, photograph())
    answer = call(body, content_type=content_type, accept="application/json")
    assert (answer["statusCode"], answer["isBase64Encoded"]) == (200, False)
    assert json.loads(answer["body"])["exif"]["Make"] == "Vitrine"


@pytest.mark.parametrize(
    ("method", "status"), [("OPTIONS", 204), ("GET", 405), ("HEAD", 405), ("PUT", 405)]
)
def test_another_method_is_answered_and_sends_nothing(
    bench: PhotoBench, method: str, status: int
) -> None:
    answer = call(photograph(), method, authorization=f"Bearer {bench.token()}")
    assert answer["statusCode"] == status
    assert bench.stored() == []


def test_a_fault_of_ours_is_a_line_that_the_alarm_counts_and_a_refusal_is_not(
    bench: PhotoBench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    token = bench.token()
    assert call(photograph())["statusCode"] == 401
    assert call(b"no photograph", authorization=f"Bearer {token}")["statusCode"] == 415
    assert not [record for record in caplog.records if hasattr(record, "status")]

    def fail(*_: Any, **__: Any) -> None:
        raise TransientError("S3 does not answer")

    monkeypatch.setattr(bench.masters, "put", fail)
    assert call(photograph(), authorization=f"Bearer {token}")["statusCode"] == 503
    [counted] = [record for record in caplog.records if hasattr(record, "status")]
    assert (vars(counted)["status"], counted.levelname) == (503, "ERROR")
