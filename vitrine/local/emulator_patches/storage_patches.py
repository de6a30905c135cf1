"""Patches of ministack's S3; the package says what a patch is."""

import re
from collections.abc import Callable
from contextvars import ContextVar
from importlib import import_module
from pathlib import Path
from typing import Any
from xml.sax.saxutils import unescape

CHECKSUM_MODE = "x-amz-checksum-mode"


def patches() -> dict[str, Callable[[], None]]:
    """Return the patches by name."""
    return {
        "read_ranges_from_disk": read_ranges_from_disk,
        "keep_versions_on_disk": keep_versions_on_disk,
        "encode_listed_keys": encode_listed_keys,
    }


class _BodyOnDisk:
    """An object's bytes, of which only the requested part is read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __len__(self) -> int:
        return self.path.stat().st_size

    def __getitem__(self, part: slice) -> bytes:
        with self.path.open("rb") as body:
            body.seek(part.start)
            return body.read(part.stop - part.start)


def read_ranges_from_disk() -> None:
    """Answer a GET of a range by reading that range, also of a named version.

    ministack: `_get_object` in `services/s3.py` reads the whole object for each range, and ignores
    Range where there is a versionId.
    AWS: "downloads the specified byte range of an object", of the version that versionId names
    (S3, GetObject).
    Symptom: ten ranges of 64 KiB of a file of 32 MiB read over 300 MiB; a parallel download of a
    version is a wrong file.
    """
    storage: Any = import_module("ministack.services.s3")
    ranged: ContextVar[bool] = ContextVar("ranged", default=False)
    get_object, read_body = storage._get_object, storage._read_body

    def read_lazily(bucket: str, key: str, item: Any) -> Any:
        if ranged.get() and item.get("body") is None:
            path = storage._object_disk_path(bucket, key)
            if path and Path(path).is_file():
                return _BodyOnDisk(Path(path))
        return read_body(bucket, key, item)

    def get_range(bucket: str, key: str, headers: Any, query: Any = None) -> Any:
        if not headers.get("range"):
            return get_object(bucket, key, headers, query)
        # A checksum is that of the whole object: AWS sends none with a part.
        remaining = {name: value for name, value in headers.items() if name != CHECKSUM_MODE}
        token = ranged.set(True)
        try:
            status, answer, body = get_object(bucket, key, remaining, query)
        finally:
            ranged.reset(token)
        return (status, answer, body) if status != 200 else cut(headers["range"], answer, body)

    def cut(requested: str, answer: dict[str, str], body: Any) -> tuple[int, dict[str, str], bytes]:
        window = storage._parse_range(requested, len(body))
        if window is None:
            return 416, {"Content-Range": f"bytes */{len(body)}"}, b""
        answer["Content-Length"] = str(window[1] - window[0] + 1)
        answer["Content-Range"] = f"bytes {window[0]}-{window[1]}/{len(body)}"
        return 206, answer, body[window[0] : window[1] + 1]

    storage._read_body, storage._get_object = read_lazily, get_range


def keep_versions_on_disk() -> None:
    """Keep the bytes of versioned objects on disk only.

    ministack: with S3_PERSIST, `_persist_object` in `services/s3.py` writes an object to disk, but
    `_object_versions` keeps the bytes of every version in memory as well.
    AWS: a bucket holds any number of objects (S3, "General purpose buckets overview").
    Symptom: the emulator grows by the size of every master that is uploaded.
    """
    storage: Any = import_module("ministack.services.s3")
    persist = storage._persist_object

    def persist_and_forget(bucket: str, key: str, item: Any) -> None:
        persist(bucket, key, item)
        if isinstance(item, dict) and item["body"] is None:  # it was written
            for entry in storage._object_versions.get((bucket, key), ()):
                entry["data"] = None

    storage._persist_object = persist_and_forget


def encode_listed_keys() -> None:
    """Percent-encode the keys in a listing of versions, for a client that asks for it.

    ministack: `_list_object_versions` in `services/s3.py` ignores `encoding-type`.
    AWS: "encodes the object keys in the response", since XML 1.0 cannot hold some characters (S3,
    ListObjectVersions).
    Symptom: one key with a control character, and nobody can list the bucket: the reconciler and
    `vitrine up` stop at a 500.
    """
    storage: Any = import_module("ministack.services.s3")
    list_versions = storage._list_object_versions
    named = re.compile(rb"<(Key|Prefix|KeyMarker|NextKeyMarker|Delimiter)>([^<]*)<")

    def encode(match: re.Match[bytes]) -> bytes:
        name, text = match[1], unescape(match[2].decode())
        return b"<%s>%s<" % (name, storage._url_encode(text).encode())

    def list_encoded(bucket: str, query: Any) -> tuple[int, dict[str, str], bytes]:
        status, headers, body = list_versions(bucket, query)
        if status != 200 or storage._qp(query, "encoding-type", "") != "url":
            return status, headers, body
        body = named.sub(encode, body)
        end = b"</ListVersionsResult>"
        body = body.replace(end, b"<EncodingType>url</EncodingType>" + end)
        headers.pop("Content-Length", None)
        return status, headers, body

    storage._list_object_versions = list_encoded
