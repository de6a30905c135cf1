"""A download whose connections keep breaking is a fault that may pass."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse

from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.errors import TransientError


def _answer_and_break(request: Any, **_: Any) -> AWSResponse:
    def read(*_: Any) -> bytes:
        raise ConnectionResetError("reset")

    headers = {
        "Content-Length": "9",
        "ETag": '"e"',
        "Last-Modified": "Sun, 29 Nov 2026 12:00:00 GMT",
    }
    body = SimpleNamespace(read=read, stream=lambda: iter(()), close=lambda: None)
    return AWSResponse(request.url, 200, headers, body)


def test_connections_that_keep_breaking_are_a_passing_fault(tmp_path: Path) -> None:
    client = AwsAccess("http://127.0.0.1:1", "eu-west-1", dummy_credentials=True).client("s3")
    client.meta.events.register("before-send.s3", _answer_and_break)
    with pytest.raises(TransientError, match=r"scan\.tif: reset"):
        S3ObjectStore(client, "masters").download("scan.tif", tmp_path / "scan.tif")
