"""Addresses for uploads to a bucket of S3: PutObject and UploadPart, signed in advance."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from vitrine.adapters.aws.multipart import S3MultipartUpload
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

    def start_parts(self, key: str, *, content_type: str, metadata: Mapping[str, str]) -> str:
        return self._open(key).create(content_type, encode_metadata(metadata), {})

    def part_address(
        self, key: str, upload: str, number: int, *, size: int, seconds: int
    ) -> tuple[str, dict[str, str]]:
        address = self._client.generate_presigned_url(
            "upload_part",
            Params={
                "Bucket": self._bucket,
                "Key": key,
                "UploadId": upload,
                "PartNumber": number,
                "ContentLength": size,
            },
            ExpiresIn=seconds,
        )
        return address, {"content-length": str(size)}

    def stored_parts(self, key: str, upload: str) -> dict[int, int]:
        return self._open(key, upload).list_parts()

    def join_parts(self, key: str, upload: str) -> None:
        opened = self._open(key, upload)
        opened.list_parts()
        opened.complete()

    def _open(self, key: str, upload: str = "") -> S3MultipartUpload:
        return S3MultipartUpload(self._client, self._bucket, key, upload)
