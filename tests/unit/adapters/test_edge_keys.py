"""One contract for every store of the edge's function: in memory, of nginx, of CloudFront."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Protocol

import boto3
import pytest
from botocore.validate import ParamValidator

from vitrine.adapters.aws.edge_keys import MAX_CHANGES, CloudFrontEdgeKeys
from vitrine.adapters.memory.edge_keys import MemoryEdgeKeys
from vitrine.adapters.nginx.edge_keys import FILE, NginxEdgeKeys
from vitrine.errors import PreconditionFailed
from vitrine.ports import EdgeKeys

ARN = "arn:aws:cloudfront::123456789012:key-value-store/0b1c2d3e-0000-0000-0000-000000000000"
MANY = {f"revoked-{number:016x}": "1800000000" for number in range(180)}
PAGE = 10


class KeyValueStore:
    """CloudFront's store behind a client of botocore, whose model judges requests and answers."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}
        self.history: list[set[str]] = []
        self.before_update: Callable[[], None] = lambda: None
        self._etag = 1
        options = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
        self.client = boto3.client("cloudfront-keyvaluestore", region_name="us-east-1", **options)
        self.client.meta.events.register("before-call", self._answer)

    def change(self, values: dict[str, str]) -> None:
        self.values = values
        self._etag += 1

    def _answer(self, model: Any, params: dict[str, Any], **_: Any) -> tuple[Any, dict[str, Any]]:
        answer = getattr(self, f"_{model.name}")(params)
        if answer is None:
            error = {"Code": "ConflictException", "Message": "The ETag is another."}
            return SimpleNamespace(status_code=409), {"Error": error}
        problems = ParamValidator().validate(answer, model.output_shape)
        assert not problems.has_errors(), problems.generate_report()
        return SimpleNamespace(status_code=200), answer

    def _DescribeKeyValueStore(self, params: dict[str, Any]) -> dict[str, Any]:
        bytes_ = sum(len(key) + len(value) for key, value in self.values.items())
        return {
            "ItemCount": len(self.values),
            "TotalSizeInBytes": bytes_,
            "KvsARN": ARN,
            "Created": "2026-11-25T00:00:00Z",
            "ETag": str(self._etag),
        }

    def _ListKeys(self, params: dict[str, Any]) -> dict[str, Any]:
        start = int(params["query_string"].get("NextToken", 0))
        found = list(self.values.items())[start : start + PAGE]
        more = {"NextToken": str(start + PAGE)} if start + PAGE < len(self.values) else {}
        return {"Items": [{"Key": key, "Value": value} for key, value in found], **more}

    def _UpdateKeys(self, params: dict[str, Any]) -> dict[str, Any] | None:
        self.before_update()
        if params["headers"]["If-Match"] != str(self._etag):
            return None
        body = json.loads(params["body"])
        assert len(body["Puts"]) + len(body["Deletes"]) <= MAX_CHANGES
        left = {one["Key"] for one in body["Deletes"]}
        kept = {key: value for key, value in self.values.items() if key not in left}
        self.change(kept | {one["Key"]: one["Value"] for one in body["Puts"]})
        self.history.append(set(self.values))
        return {"ItemCount": len(self.values), "TotalSizeInBytes": 0, "ETag": str(self._etag)}


class Store(Protocol):
    """A store, and what a function finds in it."""

    keys: EdgeKeys

    def read(self) -> dict[str, str]: ...


@pytest.fixture(params=["memory", "nginx", "cloudfront"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    if request.param == "memory":
        memory = MemoryEdgeKeys()
        yield SimpleNamespace(keys=memory, read=lambda: memory.values)
    elif request.param == "nginx":
        file = tmp_path / "edge" / FILE
        yield SimpleNamespace(
            keys=NginxEdgeKeys(file.parent), read=lambda: json.loads(file.read_text())
        )
    else:
        served = KeyValueStore()
        yield SimpleNamespace(
            keys=CloudFrontEdgeKeys(served.client, ARN), read=lambda: served.values
        )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({}, {"key-a": "1"}),
        ({"key-a": "1"}, {"key-a": "1", "key-b": "2"}),
        ({"key-a": "1", "key-b": "2"}, {"key-b": "3", "key-c": "4"}),
        ({"key-a": "1"}, {"key-a": "1"}),
        ({"key-a": "1"}, {}),
        ({}, MANY),
        (MANY, {"key-a": "1"}),
    ],
)
def test_a_store_has_what_it_was_last_given_and_nothing_else(
    store: Store, before: dict[str, str], after: dict[str, str]
) -> None:
    store.keys.replace(before)
    assert store.read() == before
    store.keys.replace(after)
    assert store.read() == after


def test_nginx_keeps_its_file_to_itself_and_leaves_no_other(tmp_path: Path) -> None:
    for values in ({"key-a": "1"}, {"key-b": "2"}):
        NginxEdgeKeys(tmp_path).replace(values)
    (file,) = tmp_path.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_key_that_stays_is_there_all_the_time() -> None:
    served = KeyValueStore()
    served.change({"key-a": "1", **MANY})
    CloudFrontEdgeKeys(served.client, ARN).replace({"key-a": "1", "key-b": "2"})
    assert len(served.history) > 1
    assert all({"key-a", "key-b"} <= keys for keys in served.history)


def test_a_store_that_is_as_it_should_be_is_not_written() -> None:
    served = KeyValueStore()
    served.change({"key-a": "1"})
    CloudFrontEdgeKeys(served.client, ARN).replace({"key-a": "1"})
    assert served.history == []


def test_a_store_that_another_changes_meanwhile_is_not_overwritten() -> None:
    served = KeyValueStore()
    served.before_update = lambda: served.change({"revoked-0": "9"})
    with pytest.raises(PreconditionFailed):
        CloudFrontEdgeKeys(served.client, ARN).replace({"key-a": "1"})
    assert served.values == {"revoked-0": "9"}
