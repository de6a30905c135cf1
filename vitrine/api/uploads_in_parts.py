"""Masters that are uploaded in parts: what came stays, and only what is missing is sent again."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from vitrine.api.problems import Problem
from vitrine.api.resources import PartAddress, UploadParts
from vitrine.errors import ObjectMissing
from vitrine.ports import UploadAddresses
from vitrine.store.clock import rfc3339

_MEBIBYTE = 1 << 20
MIN_PART_BYTES = 16 * _MEBIBYTE
MAX_PARTS = 10_000
"""Parts of an upload, S3's limit."""
MAX_ADDRESSES = 64
"""Parts whose addresses are in one answer."""
UPLOAD_SECONDS = 3_600
"""Seconds for which an address is good."""


def start_upload(
    uploads: UploadAddresses, key: str, size: int, content_type: str, metadata: Mapping[str, str]
) -> UploadParts:
    """Return the first parts of an upload of `size` bytes. Raises TransientError."""
    name = uploads.start_parts(key, content_type=content_type, metadata=metadata)
    return _list_missing(uploads, key, name, size, {})


def resume_upload(uploads: UploadAddresses, key: str, name: str, size: int) -> UploadParts:
    """Return the parts that are missing; if none is, the master is there.

    Raises Problem with code `upload-missing`, and TransientError.
    """
    try:
        stored = uploads.stored_parts(key, name)
        missing = _list_missing(uploads, key, name, size, stored)
        if not missing.missing:
            uploads.join_parts(key, name)
        return missing
    except ObjectMissing:
        raise Problem("upload-missing") from None


def part_bytes(size: int) -> int:
    """Return the bytes of each part but the last, a multiple of a MiB."""
    least = -(-size // MAX_PARTS)
    return max(MIN_PART_BYTES, -(-least // _MEBIBYTE) * _MEBIBYTE)


def _list_missing(
    uploads: UploadAddresses, key: str, name: str, size: int, stored: Mapping[int, int]
) -> UploadParts:
    length = part_bytes(size)
    lengths = {
        number: min(length, size - start)
        for number, start in enumerate(range(0, size, length), start=1)
    }
    if not stored.keys() <= lengths.keys():
        raise Problem("upload-missing", "The upload is one of a file of another size.")
    missing = [number for number, one in lengths.items() if stored.get(number) != one]
    expires = datetime.now(UTC) + timedelta(seconds=UPLOAD_SECONDS)
    return UploadParts(
        name=name,
        stored_bytes=sum(stored.values()),
        missing=tuple(
            _address_part(uploads, key, name, number, length, lengths[number])
            for number in missing[:MAX_ADDRESSES]
        ),
        expires_at=rfc3339(expires),
    )


def _address_part(
    uploads: UploadAddresses, key: str, name: str, number: int, length: int, size: int
) -> PartAddress:
    address, headers = uploads.part_address(key, name, number, size=size, seconds=UPLOAD_SECONDS)
    start = (number - 1) * length
    return PartAddress(start=start, bytes=size, address=address, headers=headers)
