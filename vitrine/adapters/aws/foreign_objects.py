"""Objects of other buckets, copied into the masters bucket within S3."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from boto3.s3.transfer import TransferConfig

from vitrine.adapters.aws.errors import translate_errors
from vitrine.adapters.aws.object_store import S3ObjectStore, encode_metadata
from vitrine.errors import ObjectMissing, ServiceRefused
from vitrine.ports import ObjectInfo

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

GIBIBYTE = 1024**3
_TRANSFER = TransferConfig(multipart_threshold=5 * GIBIBYTE - 1, multipart_chunksize=GIBIBYTE)
"""CopyObject copies up to 5 GB at once, without any byte passing this machine."""


class S3ForeignObjects:
    """Objects at a `place`, which is `bucket/key`."""

    def __init__(self, client: "S3Client", masters_bucket: str) -> None:
        self._client = client
        self._masters = masters_bucket

    def head(self, place: str) -> ObjectInfo:
        """Raise ObjectMissing also for an object that may not be read."""
        bucket, _, key = place.partition("/")
        try:
            return S3ObjectStore(self._client, bucket).head(key)
        except ServiceRefused as error:
            raise ObjectMissing(f"{place}: {error}") from error

    def copy(self, source: ObjectInfo, place: str, key: str, metadata: Mapping[str, str]) -> None:
        bucket, _, name = place.partition("/")
        origin: Any = {"Bucket": bucket, "Key": name}
        if source.version:
            origin["VersionId"] = source.version
        with translate_errors(place):
            self._client.copy(
                origin,
                self._masters,
                key,
                ExtraArgs={
                    "Metadata": encode_metadata(metadata),
                    "MetadataDirective": "REPLACE",
                },
                Config=_TRANSFER,
            )
