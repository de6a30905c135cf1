"""Whatever AWS refuses a gateway for, nobody gets a 500: what is known goes on, the rest waits.

The errors are AWS's own, as they come over the wire; botocore reads them.
"""

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse

from tests.rigs.clock import Clock
from tests.unit.deliver.answer.gateway_bench import IMAGE
from tests.unit.deliver.answer.refused_gateway import (
    TTL,
    ask,
    dynamo_error,
    gateway_over,
)
from tests.unit.deliver.deliver_records import live
from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.identifier_table import DynamoIdentifierTable
from vitrine.adapters.aws.items import encode_record
from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.deliver.answer.lookup import STALE_SECONDS
from vitrine.deliver.blocks.source import RangeSource
from vitrine.deliver.http.faults import Faults
from vitrine.deliver.metrics.counters import Counters
from vitrine.errors import Unavailable
from vitrine.identify.canary import CANARY

ENDPOINT = "http://127.0.0.1:1"
OF_TABLES = [
    (400, "AccessDeniedException"),
    (400, "ExpiredTokenException"),
    (400, "InvalidSignatureException"),
    (400, "KMSAccessDeniedException"),
    (400, "MissingAuthenticationTokenException"),
    (400, "ProvisionedThroughputExceededException"),
    (400, "RequestLimitExceeded"),
    (400, "ResourceNotFoundException"),
    (400, "ThrottlingException"),
    (400, "UnrecognizedClientException"),
    (500, "InternalServerError"),
    (503, "ServiceUnavailable"),
]
OF_BUCKETS = [
    (400, "ExpiredToken"),
    (400, "InvalidToken"),
    (400, "KMS.DisabledException"),
    (400, "KMS.KMSInvalidStateException"),
    (403, "AccessDenied"),
    (403, "AllAccessDisabled"),
    (403, "InvalidAccessKeyId"),
    (403, "InvalidObjectState"),
    (403, "RequestTimeTooSkewed"),
    (403, "SignatureDoesNotMatch"),
    (404, "NoSuchBucket"),
    (500, "InternalError"),
    (503, "SlowDown"),
]


class _Body:
    def __init__(self, body: bytes) -> None:
        self._body = body

    def stream(self, **_: Any) -> Iterator[bytes]:
        yield self._body


def answering(service: str, answer: Callable[[], tuple[int, bytes]]) -> Any:
    """Return a client of a service that answers every call with a status and a body."""
    client = AwsAccess(ENDPOINT, "us-east-1", dummy_credentials=True, attempts=1).client(service)

    def respond(**_: Any) -> AWSResponse:
        status, body = answer()
        headers = {"content-type": "application/xml" if service == "s3" else "application/json"}
        return AWSResponse(ENDPOINT, status, headers, _Body(body))  # type: ignore[arg-type]

    client.meta.events.register(f"before-send.{service}", respond)
    return client


def bucket(status: int, code: str) -> S3ObjectStore:
    body = f"<Error><Code>{code}</Code><Message>No.</Message></Error>".encode()
    return S3ObjectStore(answering("s3", lambda: (status, body)), "bucket")


def records() -> tuple[int, bytes]:
    items = [encode_record(CANARY), encode_record(live())]
    return 200, json.dumps({"Responses": {"t": items}, "UnprocessedKeys": {}}).encode()


@pytest.mark.slow
@pytest.mark.parametrize(("status", "code"), OF_TABLES)
def test_a_table_that_refuses_is_one_that_does_not_answer(status: int, code: str) -> None:
    says = records
    table = DynamoIdentifierTable(answering("dynamodb", lambda: says()), "t")
    clock, faults = Clock(), Faults()

    async def scenario() -> None:
        nonlocal says
        with gateway_over(table, MemoryObjectStore(), clock, faults) as gateway:
            assert (await ask(gateway, IMAGE)).status == 200
            says = lambda: dynamo_error(status, code)  # noqa: E731
            for moment in (TTL + 1, TTL + STALE_SECONDS - 1):
                clock.now = moment
                known = await ask(gateway, IMAGE)
                assert (known.status, known.body) == (200, b"full/100,77/0/default.jpg")
            for strange in ("/iiif/3/nobody/info.json", "/presentation/3/nobody/manifest.json"):
                answer = await ask(gateway, strange)
                assert answer.status == 503, answer.body
                assert b"table of identifiers does not answer" in answer.body
                assert dict(answer.headers)["retry-after"]
                assert dict(answer.headers)["cache-control"] == "no-store"
            clock.now = TTL + STALE_SECONDS + 1
            assert (await ask(gateway, IMAGE)).status == 503
            says = records
            assert (await ask(gateway, IMAGE)).status == 200

    asyncio.run(scenario())
    # The alarm `IdentifiersSilent` looks at it.
    assert set(faults.counts()) == {"identifiers-table-silent"}
    assert faults.counts()["identifiers-table-silent"] >= 4


@pytest.mark.slow
@pytest.mark.parametrize(("status", "code"), OF_BUCKETS)
def test_a_bucket_of_manifests_that_refuses_is_one_that_does_not_answer(
    status: int, code: str
) -> None:
    table = DynamoIdentifierTable(answering("dynamodb", records), "t")
    faults = Faults()

    async def scenario() -> None:
        with gateway_over(table, bucket(status, code), Clock(), faults) as gateway:
            answer = await ask(gateway, "/presentation/3/a/manifest.json")
            assert answer.status == 503, answer.body
            assert dict(answer.headers)["retry-after"]
            assert (await ask(gateway, IMAGE)).status == 200, "pictures need no manifest"

    asyncio.run(scenario())
    assert faults.counts() == {"publications-unreadable": 1}


@pytest.mark.parametrize(("status", "code"), OF_BUCKETS)
def test_access_masters_that_are_refused_cannot_be_fetched_now(status: int, code: str) -> None:
    counters = Counters()
    source = RangeSource(bucket(status, code), pauses_seconds=(0, 0), counters=counters)

    async def scenario() -> None:
        with pytest.raises(Unavailable, match="cannot be fetched now"):
            await source.read("a.tif", 0, 100)

    try:
        asyncio.run(scenario())
    finally:
        source.close()
    counted = counters.samples()
    # The alarm `StoreFails` looks at it; what S3 refuses is not requested three times.
    assert counted["vitrine_store_failures_total"] == 1
    tried_again = status >= 500
    assert counted.get("vitrine_store_retries_total", 0) == (2 if tried_again else 0)
