"""Clients of AWS begin quickly, with the descriptions of services that botocore has."""

import json
import os
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse
from botocore.exceptions import UnknownServiceError
from botocore.loaders import create_loader
from botocore.utils import parse_timestamp

from vitrine.adapters.aws import access
from vitrine.adapters.aws.access import AwsAccess

NOWHERE = AwsAccess("http://127.0.0.1:1", "us-east-1", dummy_credentials=True)


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing has been read yet."""
    access._load_models.cache_clear()


@pytest.mark.parametrize("service", ["dynamodb", "s3", "sqs", "stepfunctions"])
def test_a_service_is_described_as_botocore_does(fresh: None, service: str) -> None:
    ours, botocores = access._load_models(), create_loader()
    for kind in ("service-2", "endpoint-rule-set-1", "paginators-1"):
        read = ours.load_service_model(service, kind)
        assert json.dumps(read) == json.dumps(botocores.load_service_model(service, kind))


def test_a_client_looks_into_no_other_services_folder(
    fresh: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed: list[Any] = []
    really = os.listdir
    monkeypatch.setattr(os, "listdir", lambda *path: listed.append(path) or really(*path))
    AwsAccess("http://127.0.0.1:1", "us-east-1", dummy_credentials=True).client("s3")
    assert len(listed) < 20


def test_a_service_that_aws_does_not_have_is_named() -> None:
    with pytest.raises(UnknownServiceError, match="stepfunction"):
        NOWHERE.client("stepfunction")


@pytest.mark.parametrize(("length", "is_confirmed"), [(0, False), (3_000, False), (1 << 20, True)])
def test_s3_confirms_that_it_wants_a_body_only_if_that_is_long(
    length: int, is_confirmed: bool
) -> None:
    client = AwsAccess("http://127.0.0.1:1", "us-east-1", dummy_credentials=True).client("s3")
    sent = list[Any]()

    def answer(request: Any, **_: Any) -> AWSResponse:
        sent.append(request)
        return AWSResponse(request.url, 200, {}, SimpleNamespace(stream=lambda: [b""]))

    client.meta.events.register("before-send.s3.PutObject", answer)
    client.put_object(Bucket="site", Key="page", Body=b"x" * length)
    assert ("Expect" in sent[0].headers) == is_confirmed


@pytest.mark.parametrize(
    "value",
    [
        "Wed, 21 Oct 2015 07:28:00 GMT",
        "2015-10-21T07:28:00.000Z",
        "2015-10-21T07:28:00Z",
        "2015-10-21T09:28:00+02:00",
        1_445_412_480,
        1_445_412_480.0,
        "1445412480",
    ],
)
def test_times_are_those_that_botocore_reads(value: Any) -> None:
    read = access._parse_timestamp(value)
    assert read == parse_timestamp(value) == datetime(2015, 10, 21, 7, 28, tzinfo=UTC)


def test_a_time_that_cannot_be_read_is_named() -> None:
    with pytest.raises(ValueError, match="yesterday"):
        access._parse_timestamp("yesterday")


def test_a_client_reads_times_of_headers_and_documents() -> None:
    client = AwsAccess("http://127.0.0.1:1", "us-east-1", dummy_credentials=True).client("s3")
    listing = (
        b"<ListBucketResult><Contents><Key>page</Key>"
        b"<LastModified>2015-10-21T07:28:00.000Z</LastModified></Contents></ListBucketResult>"
    )

    def answer(request: Any, **_: Any) -> AWSResponse:
        modified = {"Last-Modified": "Wed, 21 Oct 2015 07:28:00 GMT"}
        body = b"" if request.method == "HEAD" else listing
        return AWSResponse(request.url, 200, modified, SimpleNamespace(stream=lambda: [body]))

    client.meta.events.register("before-send.s3", answer)
    seen = client.head_object(Bucket="site", Key="page")["LastModified"]
    (listed,) = client.list_objects_v2(Bucket="site")["Contents"]
    assert seen == listed["LastModified"] == datetime(2015, 10, 21, 7, 28, tzinfo=UTC)
