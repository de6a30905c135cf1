"""Addresses for uploads hold the sender to what was asked for."""

from urllib.parse import parse_qs, urlsplit

import pytest

from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.upload_addresses import S3UploadAddresses
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.adapters.memory.upload_addresses import MemoryUploadAddresses


def test_the_signature_covers_size_type_and_metadata() -> None:
    access = AwsAccess(region="eu-west-1", dummy_credentials=True)
    address, headers = S3UploadAddresses(access.signing_client(), "masters").upload_address(
        "é 1.tif", size=7, content_type="image/tiff", metadata={"identifier": "ü"}, seconds=60
    )
    assert headers == {
        "content-length": "7",
        "content-type": "image/tiff",
        "x-amz-meta-identifier": "%C3%BC",
    }
    parts = urlsplit(address)
    assert (parts.hostname, parts.path) == ("masters.s3.eu-west-1.amazonaws.com", "/%C3%A9%201.tif")
    query = parse_qs(parts.query)
    signed = set(query["X-Amz-SignedHeaders"][0].split(";"))
    assert signed == {"host", *headers}
    assert query["X-Amz-Expires"] == ["60"]


def test_the_bucket_has_one_name_in_each_region_as_the_desk_is_allowed_to_reach_it() -> None:
    for region in ("us-east-1", "eu-west-1"):
        access = AwsAccess(region=region, dummy_credentials=True)
        address, _ = S3UploadAddresses(access.signing_client(), "masters").part_address(
            "a.tif", "upload", 1, size=7, seconds=60
        )
        assert urlsplit(address).hostname == f"masters.s3.{region}.amazonaws.com"


def test_memory_is_as_strict() -> None:
    store = MemoryObjectStore()
    addresses = MemoryUploadAddresses(store)
    address, _ = addresses.upload_address(
        "é 1.tif", size=3, content_type="image/tiff", metadata={"identifier": "ü"}, seconds=60
    )
    with pytest.raises(ValueError, match="2 bytes were sent to an address for 3"):
        addresses.send(address, b"ab")
    addresses.send(address, b"abc")
    body, info = store.get("é 1.tif")
    assert (body, info.metadata) == (b"abc", {"identifier": "ü"})
