"""Objects by their addresses, in any bucket that one may read."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from vitrine.adapters.aws.errors import translate_errors
from vitrine.errors import ObjectMissing, ServiceRefused

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

SCHEME = "s3://"


class S3Buckets:
    """Objects at s3://bucket/key; what may not be read is missing as well."""

    def __init__(self, client: "S3Client") -> None:
        self._client = client

    def list_addresses(self, address: str) -> Iterator[str]:
        """Yield the addresses of all objects below that of a prefix. Raises ObjectMissing."""
        bucket, _, prefix = address.removeprefix(SCHEME).partition("/")
        folder = f"{prefix.rstrip('/')}/" if prefix else ""
        listing = self._client.get_paginator("list_objects_v2")
        with _translate_read_errors(address):
            for page in listing.paginate(Bucket=bucket, Prefix=folder):
                for found in page.get("Contents", []):
                    yield f"{SCHEME}{bucket}/{found['Key']}"

    def download(self, address: str, path: Path) -> None:
        """Write an object to a file. Raises ObjectMissing."""
        bucket, _, key = address.removeprefix(SCHEME).partition("/")
        with _translate_read_errors(address):
            self._client.download_file(bucket, key, str(path))


@contextmanager
def _translate_read_errors(address: str) -> Iterator[None]:
    """Raise ObjectMissing for what may not be read, and botocore's other errors as ours."""
    try:
        with translate_errors(address):
            yield
    except ServiceRefused as error:
        raise ObjectMissing(f"{address}: {error}") from error
