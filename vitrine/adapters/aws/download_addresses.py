"""Addresses of objects in a bucket of S3: GetObject, signed in advance."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class S3DownloadAddresses:
    """Addresses in one bucket, each good for as long as the credentials that sign it."""

    def __init__(self, client: "S3Client", bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def download_address(self, key: str, *, seconds: int) -> str:
        address = self._client.generate_presigned_url(
            "get_object", Params={"Bucket": self._bucket, "Key": key}, ExpiresIn=seconds
        )
        return str(address)
