"""Addresses for uploads to a bucket of S3: PutObject, signed in advance."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from vitrine.adapters.aws.object_store import encode_metadata

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class S3UploadAddresses:
    """Addresses in one bucket, each good for as long as the credentials that sign it.

    `client` signs by version 4: version 2 signs no length, and newer buckets reject it.
    """

    def __init__(self, client: "S3Client", bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def upload_address(
        self, key: str, *, size: int, content_type: str, metadata: Mapping[str, str], seconds: int
    ) -> tuple[str, dict[str, str]]:
        stored = encode_metadata(metadata)
        address = self._client.generate_presigned_url(
            "put_object",
            Params={
                "Bucket": self._bucket,
                "Key": key,
                "ContentLength": size,
                "ContentType": content_type,
                "Metadata": stored,
            },
            ExpiresIn=seconds,
        )
        named = {f"x-amz-meta-{name}": value for name, value in stored.items()}
        return address, {"content-length": str(size), "content-type": content_type} | named
