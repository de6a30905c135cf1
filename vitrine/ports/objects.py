"""Buckets: objects with their metadata, versions and tags."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from mmap import mmap
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, kw_only=True)
class ObjectInfo:
    """Information about one object version. `modified` is RFC 3339 UTC, `size` bytes."""

    key: str
    size: int
    etag: str
    version: str
    modified: str
    metadata: Mapping[str, str] = field(default_factory=dict)
    checksum: str = ""
    """Checksum of the whole object, as `vitrine.store.whole_checksum` writes it; "" if the store
    keeps only the checksums of parts, or one that is not known here."""


@dataclass(frozen=True, slots=True)
class ObjectPart:
    """Some bytes of an object, with the ETag and the size of the whole object."""

    data: bytes
    etag: str
    size: int


@dataclass(frozen=True, slots=True)
class ListedObject:
    """The newest version under a key; with `deleted`, the delete marker that hides the others."""

    key: str
    version: str
    modified: str
    """RFC 3339 UTC."""
    deleted: bool = False


@dataclass(frozen=True, slots=True)
class KeyPage:
    """Some keys of a bucket, in order; `next` is where the listing continues, "" at its end."""

    entries: list[ListedObject]
    next: str


class MultipartUpload(Protocol):
    """An object that is written in parts."""

    def part(self, number: int, data: bytes) -> None:
        """Send one part, from any thread and in any order; the object is their sequence by number.

        `number` from 1 to 10,000, not necessarily consecutive. All but the last are at least
        5 MiB long.
        """
        ...


class RangedStore(Protocol):
    """A bucket of which nothing but ranges is read, as the gateway reads access masters."""

    def head(self, key: str) -> ObjectInfo:
        """Return information about the newest version of `key`. Raises ObjectMissing."""
        ...

    def read(
        self, key: str, start: int, length: int, *, version: str = "", if_etag: str = ""
    ) -> ObjectPart:
        """Return up to `length` (at least 1) bytes from offset `start`; b"" beyond the end.

        Raises ObjectMissing, and PreconditionFailed if the object under the key has another ETag
        than `if_etag`.
        """
        ...


class ObjectStore(RangedStore, Protocol):
    """One bucket. Object metadata keys are lower case; values any Unicode text."""

    def get(self, key: str) -> tuple[bytes, ObjectInfo]:
        """Return body and information of a small object. Raises ObjectMissing.

        Raises TransientError if the body is not what the object's own checksum says; so does `read`
        of a whole object. `download` leaves that to its caller.
        """
        ...

    def download(self, key: str, path: Path, version: str = "") -> ObjectInfo:
        """Write the object (one version, or the newest) to `path`. Raises ObjectMissing."""
        ...

    def upload(
        self,
        path: Path,
        key: str,
        *,
        content_type: str,
        metadata: Mapping[str, str],
        on_progress: Callable[[int], None] | None = None,
    ) -> ObjectInfo:
        """Store a file of any size; an existing object is replaced.

        `on_progress` is called with the number of bytes just sent, from any thread.
        """
        ...

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
        """Store a small object. Raises PreconditionFailed.

        With `if_etag`, only an object with this ETag is replaced; with "", no object may exist.
        """
        ...

    def multipart(
        self, key: str, *, content_type: str, metadata: Mapping[str, str]
    ) -> AbstractContextManager[MultipartUpload]:
        """Store an object in parts, which appears when the `with` block ends.

        A failure in the block leaves nothing in the store.
        """
        ...


class VersionedStore(ObjectStore, Protocol):
    """A bucket that keeps versions, lists deletions, and whose objects can be tagged."""

    def list_keys(self, after: str = "", limit: int = 1_000, *, prefix: str = "") -> KeyPage:
        """Return the keys behind `after`, at most `limit` (1 to 1,000), possibly fewer.

        With `prefix`, only those that begin with it: listing a small folder of a large bucket is
        cheap, at any place of the bucket.

        Deleted keys are listed while the store has their delete markers. A page may be empty even
        before the end.
        """
        ...

    def copy_in_place(self, key: str, metadata: Mapping[str, str], *, if_etag: str) -> ObjectInfo:
        """Write a new version with the same bytes and content type, and with this metadata.

        Raises ObjectMissing, and PreconditionFailed if the newest version has another ETag.
        """
        ...

    def delete(self, key: str) -> None:
        """Hide an object under a delete marker; its versions stay. No role of ours may do this."""
        ...

    def tags(self, key: str) -> dict[str, str]:
        """Return the tags of the newest version. Raises ObjectMissing."""
        ...

    def tag(self, key: str, tags: Mapping[str, str]) -> None:
        """Replace all tags of the newest version. Raises ObjectMissing."""
        ...


class UploadAddresses(Protocol):
    """Addresses to which anybody who has one may send one object, for some time."""

    def upload_address(
        self, key: str, *, size: int, content_type: str, metadata: Mapping[str, str], seconds: int
    ) -> tuple[str, dict[str, str]]:
        """Return an address for a PUT of exactly `size` bytes, and the headers that it takes."""
        ...

    def start_parts(self, key: str, *, content_type: str, metadata: Mapping[str, str]) -> str:
        """Return the name of an upload of one object in parts. Raises TransientError."""
        ...

    def part_address(
        self, key: str, upload: str, number: int, *, size: int, seconds: int
    ) -> tuple[str, dict[str, str]]:
        """Return an address for a PUT of a part of exactly `size` bytes, and its headers."""
        ...

    def stored_parts(self, key: str, upload: str) -> dict[int, int]:
        """Return the bytes of each part that came, by its number from 1.

        Raises ObjectMissing if there is no such upload, or not any more, and TransientError.
        """
        ...

    def join_parts(self, key: str, upload: str) -> None:
        """Make the object of the parts that came. Raises as `stored_parts`."""
        ...


class DownloadAddresses(Protocol):
    """Addresses from which anybody who has one may fetch one object, for some time."""

    def download_address(self, key: str, *, seconds: int) -> str:
        """Return an address for a GET of the object."""
        ...
