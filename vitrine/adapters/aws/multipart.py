"""A multipart upload to S3."""

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from vitrine.adapters.aws.errors import translate_errors

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import CompletedPartTypeDef

_log = logging.getLogger(__name__)


class S3MultipartUpload:
    """One upload: created, filled from any thread, completed or aborted."""

    def __init__(self, client: "S3Client", bucket: str, key: str, upload_id: str = "") -> None:
        """Open a new upload, or the one with this id."""
        self._client, self._bucket, self._key = client, bucket, key
        self._upload_id = upload_id
        self._etags: dict[int, str] = {}

    def create(
        self, content_type: str, metadata: Mapping[str, str], options: Mapping[str, Any]
    ) -> str:
        """Create the upload and return its id.

        `metadata` must be ASCII, `options` are of CreateMultipartUpload.
        """
        with translate_errors(self._key):
            response = self._client.create_multipart_upload(
                Bucket=self._bucket,
                Key=self._key,
                ContentType=content_type,
                Metadata=metadata,
                **options,
            )
        self._upload_id = response["UploadId"]
        return self._upload_id

    def list_parts(self) -> dict[int, int]:
        """Return the bytes of each part that S3 has, by its number."""
        pages = self._client.get_paginator("list_parts").paginate(
            Bucket=self._bucket, Key=self._key, UploadId=self._upload_id
        )
        with translate_errors(self._key):
            parts = [one for page in pages for one in page.get("Parts", ())]
        self._etags |= {one["PartNumber"]: one["ETag"] for one in parts}
        return {one["PartNumber"]: one["Size"] for one in parts}

    def part(self, number: int, data: bytes) -> None:
        with translate_errors(self._key):
            response = self._client.upload_part(
                Bucket=self._bucket,
                Key=self._key,
                UploadId=self._upload_id,
                PartNumber=number,
                Body=data,
            )
        self._etags[number] = response["ETag"]

    def complete(self) -> None:
        """Complete the upload, so that the object appears."""
        parts: list[CompletedPartTypeDef] = [
            {"PartNumber": number, "ETag": self._etags[number]} for number in sorted(self._etags)
        ]
        with translate_errors(self._key):
            self._client.complete_multipart_upload(
                Bucket=self._bucket,
                Key=self._key,
                UploadId=self._upload_id,
                MultipartUpload={"Parts": parts},
            )

    def abort(self) -> None:
        """Free the space of the parts. Never raises: the failure that led here matters more."""
        try:
            self._client.abort_multipart_upload(
                Bucket=self._bucket, Key=self._key, UploadId=self._upload_id
            )
        except (BotoCoreError, ClientError) as error:
            # The bucket's lifecycle rule removes the parts later.
            _log.warning(
                "The parts of %s could not be removed; the lifecycle rule removes them later: %s",
                self._key,
                error,
            )
