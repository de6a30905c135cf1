"""Access masters are written in the storage class that they are kept in, so nothing moves them."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import MISSING, fields
from types import SimpleNamespace
from typing import Any

import boto3
import pytest
from botocore.stub import ANY, Stubber

from vitrine.bootstrap.ingest import wire_ingest_services
from vitrine.settings.ingest import IngestSettings

KEY = {"aws_access_key_id": "a", "aws_secret_access_key": "b", "region_name": "us-east-1"}


@pytest.fixture
def s3() -> Any:
    return boto3.client("s3", **KEY)


@pytest.fixture
def services(s3: Any) -> Any:
    """The services of a converter, with names that stand for themselves."""
    required = {
        item.name: item.name
        for item in fields(IngestSettings)
        if item.default is MISSING and item.default_factory is MISSING
    }
    clients = {"s3": s3}
    access: Any = SimpleNamespace(
        client=lambda name: clients.get(name) or boto3.client(name, **KEY)
    )
    return wire_ingest_services(IngestSettings(**required), access)


def write_once(store: Any) -> None:
    store.put("a.tif", b"a", content_type="image/tiff")


def write_in_parts(store: Any) -> None:
    with store.multipart("a.tif", content_type="image/tiff", metadata={}):
        raise InterruptedError


@pytest.mark.parametrize(
    ("write", "method", "answer"),
    [
        (write_once, "put_object", {"ETag": '"e"'}),
        (write_in_parts, "create_multipart_upload", {"UploadId": "u"}),
    ],
)
@pytest.mark.parametrize(
    ("name", "expected"),
    [("access_masters", {"StorageClass": "INTELLIGENT_TIERING"}), ("records", {})],
)
def test_an_access_master_is_written_in_intelligent_tiering(
    s3: Any,
    services: Any,
    write: Callable[[Any], None],
    method: str,
    answer: dict[str, str],
    name: str,
    expected: dict[str, str],
) -> None:
    sent = {"Bucket": ANY, "Key": "a.tif", "ContentType": "image/tiff"}
    sent |= {"Body": ANY} if method == "put_object" else {"Metadata": ANY}
    with Stubber(s3) as stub:
        stub.add_response(method, answer, sent | expected)
        if method == "create_multipart_upload":
            stub.add_response("abort_multipart_upload", {})
        with suppress(InterruptedError):
            write(getattr(services, name))
        stub.assert_no_pending_responses()
