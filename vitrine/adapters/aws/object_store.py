"""A bucket of S3."""

import re
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from mmap import mmap
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast
from urllib.parse import quote, unquote

from boto3.s3.transfer import TransferConfig

from vitrine.adapters.aws.errors import translate_errors
from vitrine.adapters.aws.multipart import S3MultipartUpload
from vitrine.errors import ObjectMissing, PreconditionFailed, TransientError
from vitrine.ports import KeyPage, ListedObject, ObjectInfo, ObjectPart
from vitrine.store.clock import rfc3339
from vitrine.store.whole_checksum import ALGORITHMS, checksum_of

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

MEBIBYTE = 1024 * 1024
_TRANSFER = TransferConfig(
    multipart_threshold=16 * MEBIBYTE,
    multipart_chunksize=16 * MEBIBYTE,
    max_concurrency=8,
    # The pieces that threads pass to the one that writes. boto3's 256 KiB cost three times the CPU;
    # the length of the queue bounds its memory.
    io_chunksize=MEBIBYTE,
    max_io_queue=32,
)
_COPY = TransferConfig(
    multipart_threshold=4096 * MEBIBYTE, multipart_chunksize=256 * MEBIBYTE, max_concurrency=8
)
"""S3 copies up to 5 GiB in one request; larger objects are copied in parts."""
_MD5 = re.compile("[0-9a-f]{32}")
_PLAIN = "!#$&'()*+,-./:;<=>?@[]^_`{|}~"


class S3ObjectStore:
    """One bucket. Metadata values are percent-encoded UTF-8, because S3 allows only ASCII.

    `storage_class` is that of objects written by `put` and `multipart`; "": S3 Standard.
    """

    def __init__(self, client: "S3Client", bucket: str, *, storage_class: str = "") -> None:
        self._client = client
        self._bucket = bucket
        self._class_option: dict[str, Any] = (
            {"StorageClass": storage_class} if storage_class else {}
        )

    def head(self, key: str) -> ObjectInfo:
        return self._head_version(key, "")

    def get(self, key: str) -> tuple[bytes, ObjectInfo]:
        with translate_errors(key):
            response = self._client.get_object(Bucket=self._bucket, Key=key)
            body, info = response["Body"].read(), _parse_info(key, response)
        _check_whole(key, body, info.checksum)
        return body, info

    def read(
        self, key: str, start: int, length: int, *, version: str = "", if_etag: str = ""
    ) -> ObjectPart:
        options = _version_option(version) | (_condition_option(if_etag) if if_etag else {})
        span = f"bytes={start}-{start + length - 1}"
        with translate_errors(key):
            try:
                response = self._client.get_object(
                    Bucket=self._bucket, Key=key, Range=span, **options
                )
            except self._client.exceptions.ClientError as error:
                if error.response["Error"].get("Code") != "InvalidRange":
                    raise
                return self._read_beyond_end(key, version, if_etag)
            part = _parse_part(response, start, length)
        if len(part.data) == part.size:
            _check_whole(key, part.data, _read_checksum(response))
        return part

    def download(self, key: str, path: Path, version: str = "") -> ObjectInfo:
        info = self._head_version(key, version)
        # The version just seen, so that no two parts come from different ones.
        extra = _version_option(info.version)
        with translate_errors(key), path.open("wb") as file:
            self._client.download_fileobj(
                self._bucket, key, file, ExtraArgs=extra or None, Config=_TRANSFER
            )
        return info

    def upload(
        self,
        path: Path,
        key: str,
        *,
        content_type: str,
        metadata: Mapping[str, str],
        on_progress: Callable[[int], None] | None = None,
    ) -> ObjectInfo:
        with translate_errors(key), path.open("rb") as file:
            self._client.upload_fileobj(
                file,
                self._bucket,
                key,
                ExtraArgs={"ContentType": content_type, "Metadata": encode_metadata(metadata)},
                Callback=on_progress,
                Config=_TRANSFER,
            )
        return self.head(key)

    def put(
        self,
        key: str,
        body: bytes | mmap,
        *,
        content_type: str,
        cache_control: str = "",
        if_etag: str | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> ObjectInfo:
        options = {"ContentType": content_type} | _condition_option(if_etag) | self._class_option
        if cache_control:
            options["CacheControl"] = cache_control
        if metadata:
            options["Metadata"] = encode_metadata(metadata)
        try:
            with translate_errors(key):
                # A map of a file is read as a file is.
                content = cast("bytes | IO[bytes]", body)
                response = self._client.put_object(
                    Bucket=self._bucket, Key=key, Body=content, **options
                )
        except ObjectMissing as error:  # S3's answer to If-Match without an object
            raise PreconditionFailed(key) from error
        return ObjectInfo(
            key=key,
            size=len(body),
            etag=response["ETag"].strip('"'),
            version=response.get("VersionId", ""),
            modified=rfc3339(datetime.now(UTC)),
            metadata=dict(metadata or {}),
            checksum=_read_checksum(response),
        )

    @contextmanager
    def multipart(
        self, key: str, *, content_type: str, metadata: Mapping[str, str]
    ) -> Iterator[S3MultipartUpload]:
        upload = S3MultipartUpload(self._client, self._bucket, key)
        upload.create(content_type, encode_metadata(metadata), self._class_option)
        try:
            yield upload
            upload.complete()
        except BaseException:
            upload.abort()
            raise

    def list_keys(self, after: str = "", limit: int = 1_000, *, prefix: str = "") -> KeyPage:
        """List versions: the newest of a key comes first, so a page may end among its versions."""
        with translate_errors(self._bucket):
            answer = self._client.list_object_versions(
                Bucket=self._bucket, KeyMarker=after, MaxKeys=limit, Prefix=prefix
            )
        items: list[tuple[Any, bool]] = [(item, False) for item in answer.get("Versions", ())]
        items += [(item, True) for item in answer.get("DeleteMarkers", ())]
        items.sort(key=lambda item: item[0]["Key"].encode())
        entries = [
            ListedObject(item["Key"], item["VersionId"], rfc3339(item["LastModified"]), deleted)
            for item, deleted in items
            if item["IsLatest"]
        ]
        # Only the key, without a version: its older versions are skipped.
        return KeyPage(entries, answer["NextKeyMarker"] if answer["IsTruncated"] else "")

    def copy_in_place(self, key: str, metadata: Mapping[str, str], *, if_etag: str) -> ObjectInfo:
        with translate_errors(key):
            newest = self._client.head_object(Bucket=self._bucket, Key=key)
            source = {"Bucket": self._bucket, "Key": key, "VersionId": newest["VersionId"]}
            self._client.copy(
                source,  # type: ignore[arg-type]
                self._bucket,
                key,
                ExtraArgs={
                    "MetadataDirective": "REPLACE",
                    "Metadata": encode_metadata(metadata),
                    "ContentType": newest["ContentType"],
                    "CopySourceIfMatch": if_etag,
                },
                Config=_COPY,
            )
        return self.head(key)

    def delete(self, key: str) -> None:
        with translate_errors(key):
            self._client.delete_object(Bucket=self._bucket, Key=key)

    def tags(self, key: str) -> dict[str, str]:
        with translate_errors(key):
            answer = self._client.get_object_tagging(Bucket=self._bucket, Key=key)
        return {tag["Key"]: tag["Value"] for tag in answer["TagSet"]}

    def tag(self, key: str, tags: Mapping[str, str]) -> None:
        with translate_errors(key):
            self._client.put_object_tagging(
                Bucket=self._bucket,
                Key=key,
                Tagging={"TagSet": [{"Key": name, "Value": tags[name]} for name in tags]},
            )

    def _read_beyond_end(self, key: str, version: str, if_etag: str) -> ObjectPart:
        """Return b"" and the ETag, which a response of 416 lacks and a HEAD has."""
        info = self._head_version(key, version)
        if if_etag not in ("", info.etag):
            raise PreconditionFailed(key)
        return ObjectPart(b"", info.etag, info.size)

    def _head_version(self, key: str, version: str) -> ObjectInfo:
        with translate_errors(key):
            response = self._client.head_object(
                Bucket=self._bucket, Key=key, ChecksumMode="ENABLED", **_version_option(version)
            )
        return _parse_info(key, response)


def encode_metadata(metadata: Mapping[str, str]) -> dict[str, str]:
    """Return metadata with values as S3 accepts them."""
    return {name: quote(value, safe=_PLAIN) for name, value in metadata.items()}


def _version_option(version: str) -> dict[str, Any]:
    return {"VersionId": version} if version else {}


def _condition_option(if_etag: str | None) -> dict[str, str]:
    if if_etag is None:
        return {}
    return {"IfMatch": f'"{if_etag}"'} if if_etag else {"IfNoneMatch": "*"}


def _parse_part(response: Mapping[str, Any], start: int, length: int) -> ObjectPart:
    data, etag = response["Body"].read(), response["ETag"].strip('"')
    if "ContentRange" in response:
        return ObjectPart(data, etag, int(response["ContentRange"].rpartition("/")[2]))
    # A store without support for ranges sends the whole object.
    return ObjectPart(data[start : start + length], etag, len(data))


def _parse_info(key: str, response: Mapping[str, Any]) -> ObjectInfo:
    return ObjectInfo(
        key=key,
        size=response["ContentLength"],
        etag=response["ETag"].strip('"'),
        version=response.get("VersionId", ""),
        modified=rfc3339(response["LastModified"]),
        metadata={name: unquote(value) for name, value in response["Metadata"].items()},
        checksum=_read_checksum(response),
    )


def _read_checksum(response: Mapping[str, Any]) -> str:
    """Return what S3 says of the whole object, "" where it speaks of parts only.

    An ETag is the MD5 of what was sent in one piece, unless a key of KMS or of a customer encrypts
    it. Source: S3 User Guide, "Checking object integrity"; S3 API Reference, "Object".
    """
    if (
        response.get("ChecksumType", "FULL_OBJECT") == "FULL_OBJECT"
        and "ContentRange" not in response
    ):
        for algorithm in ALGORITHMS:
            value = response.get(f"Checksum{algorithm.upper()}", "")
            if value and "-" not in value:
                return f"{algorithm}:{b64decode(value).hex()}"
    etag, encryption = response["ETag"].strip('"'), response.get("ServerSideEncryption", "AES256")
    is_readable = encryption == "AES256" and "SSECustomerAlgorithm" not in response
    return f"md5:{etag}" if is_readable and _MD5.fullmatch(etag) else ""


def _check_whole(key: str, body: bytes, checksum: str) -> None:
    """Raise TransientError if a whole object is not what its own checksum says."""
    if checksum and checksum_of(body, checksum.partition(":")[0]) != checksum:
        raise TransientError(f"{key}: S3 sent other bytes than its own checksum {checksum} says")
