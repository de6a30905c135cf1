"""Credentials that expire, cannot be renewed, or are refused: 503 until there are others.

They come from a real provider of botocore, a program that prints them; services answer as they do
over the wire.
"""

import asyncio
import json
import stat
from pathlib import Path
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse
from botocore.credentials import Credentials
from botocore.exceptions import CredentialRetrievalError

from tests.rigs.clock import Clock
from tests.unit.deliver.answer.gateway_bench import IMAGE
from tests.unit.deliver.answer.refused_gateway import ask, dynamo_error, gateway_over
from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.credentials import LOAD_SECONDS, REFUSED, RenewableCredentials
from vitrine.adapters.aws.identifier_table import DynamoIdentifierTable
from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.deliver.http.faults import Faults
from vitrine.errors import ServiceRefused

PAST, FUTURE = "2020-01-01T00:00:00Z", "2120-01-01T00:00:00Z"
SOUND = {"Version": 1, "AccessKeyId": "A", "SecretAccessKey": "s", "SessionToken": "t"}
ENDPOINT = "http://127.0.0.1:1"
UNUSABLE = {
    "expired": json.dumps(SOUND | {"Expiration": PAST}),
    "without a key": json.dumps({"Version": 1, "Expiration": FUTURE}),
    "of another version": json.dumps(SOUND | {"Version": 2}),
    "with a wrong date": json.dumps(SOUND | {"Expiration": "soon"}),
    "no JSON": "<html>",
}


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the program prints; it counts its calls in `calls` next to it."""
    printed, script = tmp_path / "printed", tmp_path / "credentials"
    script.write_text(f"#!/bin/sh\necho x >> {tmp_path}/calls\ncat {printed}\n")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    config = tmp_path / "config"
    config.write_text(f"[default]\ncredential_process = {script}\n")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(config))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    return printed


def client(service: str, answer: Any = None) -> Any:
    made = AwsAccess(ENDPOINT, "us-east-1", attempts=1).client(service)

    def respond(request: Any, **_: Any) -> AWSResponse:
        status, body = answer(request)

        class Body:
            def stream(self, **_: Any) -> Any:
                yield body

        return AWSResponse(ENDPOINT, status, {}, Body())  # type: ignore[arg-type]

    if answer:
        made.meta.events.register(f"before-send.{service}", respond)
    return made


@pytest.mark.parametrize("printed", UNUSABLE.values(), ids=UNUSABLE.keys())
def test_without_usable_credentials_a_gateway_answers_503(program: Path, printed: str) -> None:
    program.write_text(printed)
    table, faults = DynamoIdentifierTable(client("dynamodb"), "t"), Faults()

    async def scenario() -> None:
        with gateway_over(table, MemoryObjectStore(), Clock(), faults) as gateway:
            answer = await ask(gateway, IMAGE)
            assert answer.status == 503, answer.body
            assert dict(answer.headers)["retry-after"]

    asyncio.run(scenario())
    with pytest.raises(ServiceRefused):
        S3ObjectStore(client("s3"), "b").get("a.tif")


def test_there_may_be_no_credentials_at_all(monkeypatch: pytest.MonkeyPatch, program: Path) -> None:
    monkeypatch.setenv("AWS_CONFIG_FILE", str(program.with_name("nothing")))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with pytest.raises(ServiceRefused, match="Unable to locate credentials"):
        S3ObjectStore(client("s3"), "b").get("a.tif")


@pytest.mark.parametrize("code", sorted(REFUSED - {"400"}))
def test_credentials_that_are_refused_are_loaded_again(
    program: Path, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    monkeypatch.setattr("vitrine.adapters.aws.credentials.LOAD_SECONDS", 0.0)
    program.write_text(json.dumps(SOUND | {"AccessKeyId": "OLD", "Expiration": FUTURE}))

    def answer(request: Any) -> tuple[int, bytes]:
        if "OLD" in request.headers["Authorization"].decode():
            return dynamo_error(400, code)
        return 200, b"{}"

    table = DynamoIdentifierTable(client("dynamodb", answer), "t")
    with pytest.raises(ServiceRefused):
        table.get("a")
    program.write_text(json.dumps(SOUND | {"AccessKeyId": "NEW", "Expiration": FUTURE}))
    assert table.get("a") is None, "the next request has the new ones, without a restart"


def test_a_head_that_says_no_more_than_400_has_them_loaded_again(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vitrine.adapters.aws.credentials.LOAD_SECONDS", 0.0)
    program.write_text(json.dumps(SOUND | {"Expiration": FUTURE}))
    store = S3ObjectStore(client("s3", lambda request: (400, b"")), "b")
    for _ in range(3):
        with pytest.raises(ServiceRefused):
            store.head("a.tif")
    assert len(program.with_name("calls").read_text().split()) == 3


def test_what_is_refused_again_and_again_is_loaded_once_in_some_seconds() -> None:
    clock, loads = Clock(), [0]

    def load() -> Credentials:
        loads[0] += 1
        return Credentials("A", "s")

    credentials = RenewableCredentials(load, clock)
    for second in range(int(3 * LOAD_SECONDS)):
        clock.now = second
        credentials.get_frozen_credentials()
        credentials.note_answer(parsed={"Error": {"Code": "ExpiredToken"}})
    assert loads == [3]


@pytest.mark.parametrize("code", ["AccessDenied", "NoSuchKey", "SlowDown"])
def test_other_refusals_load_nothing(code: str) -> None:
    clock, loads = Clock(), [0]

    def load() -> Credentials:
        loads[0] += 1
        return Credentials("A", "s")

    credentials = RenewableCredentials(load, clock)
    for clock.now in (0, 2 * LOAD_SECONDS, 4 * LOAD_SECONDS):
        credentials.get_frozen_credentials()
        credentials.note_answer(parsed={"Error": {"Code": code}})
    assert loads == [1]


def test_a_load_that_fails_is_not_repeated_for_each_request() -> None:
    clock, loads = Clock(), [0]

    def load() -> Credentials:
        loads[0] += 1
        if clock.now < LOAD_SECONDS:
            raise OSError("the metadata of the container does not answer")
        return Credentials("A", "s")

    credentials = RenewableCredentials(load, clock)
    for _ in range(5):
        with pytest.raises(CredentialRetrievalError, match="does not answer"):
            credentials.get_frozen_credentials()
    assert loads == [1]
    clock.now = LOAD_SECONDS
    assert credentials.get_frozen_credentials().access_key == "A"
