"""Bytes of whole objects are compared with the checksum that S3 keeps of them."""

import io
from base64 import b64encode
from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import md5
from typing import Any
from zlib import crc32

import boto3
import pytest
from botocore.response import StreamingBody
from botocore.stub import Stubber

from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.errors import TransientError

BODY = b"an access master"
FLIPPED = b"an access mastes"
MD5 = md5(BODY, usedforsecurity=False).hexdigest()
CRC = b64encode(crc32(BODY).to_bytes(4, "big")).decode()
Call = Callable[[S3ObjectStore], Any]


def respond(method: str, call: Call, body: bytes, **fields: Any) -> Any:
    """Return what an adapter makes of one answer of S3."""
    client = boto3.client("s3", "us-east-1", aws_access_key_id="a", aws_secret_access_key="b")
    answer = {
        "ETag": f'"{MD5}"',
        "ContentLength": len(BODY),
        "LastModified": datetime.now(UTC),
        "Metadata": {},
        **fields,
    }
    if method == "get_object":
        answer["Body"] = StreamingBody(io.BytesIO(body), len(body))
    with Stubber(client) as stub:
        stub.add_response(method, answer)
        return call(S3ObjectStore(client, "bucket"))


def read_all(store: S3ObjectStore) -> Any:
    return store.read("a.tif", 0, 1_000)


def read_some(store: S3ObjectStore) -> Any:
    return store.read("a.tif", 0, 5)


WHOLE = {"ContentRange": f"bytes 0-{len(BODY) - 1}/{len(BODY)}"}


@pytest.mark.parametrize("call", [lambda store: store.get("a.tif"), read_all])
def test_a_whole_object_with_other_bytes_is_refused_and_named(call: Call) -> None:
    with pytest.raises(TransientError, match=r"a\.tif: S3 sent other bytes .* md5:"):
        respond("get_object", call, FLIPPED, **WHOLE)
    respond("get_object", call, BODY, **WHOLE)


def test_a_checksum_is_taken_before_an_etag() -> None:
    def head(store: S3ObjectStore) -> Any:
        return store.head("a.tif").checksum

    assert respond("head_object", head, b"") == f"md5:{MD5}"
    assert respond("head_object", head, b"", ChecksumCRC32=CRC) == f"crc32:{crc32(BODY):08x}"


@pytest.mark.parametrize(
    "fields",
    [
        {"ETag": f'"{MD5}-2"'},
        {"ETag": f'"{MD5}-2"', "ChecksumCRC32": f"{CRC}-2", "ChecksumType": "COMPOSITE"},
        {"ServerSideEncryption": "aws:kms"},
        {"SSECustomerAlgorithm": "AES256"},
    ],
)
def test_what_s3_says_of_parts_or_of_encrypted_bytes_is_not_compared(
    fields: dict[str, str],
) -> None:
    assert respond("head_object", lambda store: store.head("a.tif").checksum, b"", **fields) == ""
    body, _ = respond("get_object", lambda store: store.get("a.tif"), FLIPPED, **fields)
    assert body == FLIPPED


def test_a_part_is_not_compared_with_the_checksum_of_the_whole() -> None:
    span = {"ContentRange": f"bytes 0-4/{len(BODY)}", "ChecksumCRC32": CRC}
    assert respond("get_object", read_some, b"other", **span).data == b"other"
