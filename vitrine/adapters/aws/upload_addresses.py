"""Addresses for uploads to a bucket of S3: PutObject and UploadPart, signed in advance."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from vitrine.adapters.aws.errors import translate_errors
from vitrine.adapters.aws.object_store import encode_metadata

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import PartTypeDef


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
        with translate_errors(key):
            response = self._client.create_multipart_upload(
                Bucket=self._bucket,
                Key=key,
                ContentType=content_type,
                Metadata=encode_metadata(metadata),
            )
        return response["UploadId"]

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
        return {one["PartNumber"]: one["Size"] for one in self._list_parts(key, upload)}

    def join_parts(self, key: str, upload: str) -> None:
        listed = self._list_parts(key, upload)
        with translate_errors(key):
            self._client.complete_multipart_upload(
                Bucket=self._bucket,
                Key=key,
                UploadId=upload,
                MultipartUpload={
                    "Parts": [
                        {"PartNumber": one["PartNumber"], "ETag": one["ETag"]} for one in listed
                    ]
                },
            )

    def _list_parts(self, key: str, upload: str) -> "Iterator[PartTypeDef]":
        pages = self._client.get_paginator("list_parts").paginate(
            Bucket=self._bucket, Key=key, UploadId=upload
        )
        with translate_errors(key):
            for page in pages:
                yield from page.get("Parts", ())
