"""A versioned bucket in memory."""

import hashlib
import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from mmap import mmap
from pathlib import Path
from threading import Lock

from vitrine.errors import ObjectMissing, PreconditionFailed
from vitrine.ports import KeyPage, ListedObject, ObjectInfo, ObjectPart
from vitrine.store.clock import rfc3339

MAXIMUM_PARTS = 10_000
MINIMUM_PART_BYTES = 5 << 20


@dataclass(frozen=True)
class _StoredObject:
    body: bytes
    info: ObjectInfo
    content_type: str
    cache_control: str
    tags: Mapping[str, str] = field(default_factory=dict)
    deleted: bool = False
    """A delete marker, not an object."""


class _Parts:
    """The parts of one upload. As strict as S3: what S3 rejects fails here as well."""

    def __init__(self) -> None:
        self._parts: dict[int, bytes] = {}

    def part(self, number: int, data: bytes) -> None:
        if not 1 <= number <= MAXIMUM_PARTS:
            raise ValueError(f"A part has a number from 1 to {MAXIMUM_PARTS:,}, not {number}.")
        self._parts[number] = data

    def join(self) -> bytes:
        bodies = [self._parts[number] for number in sorted(self._parts)]
        if not bodies or any(len(body) < MINIMUM_PART_BYTES for body in bodies[:-1]):
            raise ValueError(f"Parts of {[len(body) for body in bodies]} bytes are too small.")
        return b"".join(bodies)


class MemoryObjectStore:
    """Keeps every version of every key."""

    def __init__(self, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._versions: dict[str, list[_StoredObject]] = {}
        self._numbers = itertools.count(1)
        self._now = now
        self._lock = Lock()
        """A condition is checked and its object written at once, as S3 does."""

    def head(self, key: str) -> ObjectInfo:
        return self._find_object(key).info

    def get(self, key: str) -> tuple[bytes, ObjectInfo]:
        stored = self._find_object(key)
        return stored.body, stored.info

    def read(
        self, key: str, start: int, length: int, *, version: str = "", if_etag: str = ""
    ) -> ObjectPart:
        stored = self._find_object(key, version)
        if if_etag not in ("", stored.info.etag):
            raise PreconditionFailed(key)
        return ObjectPart(stored.body[start : start + length], stored.info.etag, stored.info.size)

    def download(self, key: str, path: Path, version: str = "") -> ObjectInfo:
        stored = self._find_object(key, version)
        path.write_bytes(stored.body)
        return stored.info

    def upload(
        self,
        path: Path,
        key: str,
        *,
        content_type: str,
        metadata: Mapping[str, str],
        on_progress: Callable[[int], None] | None = None,
    ) -> ObjectInfo:
        body = path.read_bytes()
        if on_progress:
            on_progress(len(body))
        info = self._append_version(key, body, content_type, "")
        return self._set_info(key, replace(info, metadata=dict(metadata)))

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
        with self._lock:
            if if_etag is not None and if_etag != self._current_etag(key):
                raise PreconditionFailed(key)
            info = self._append_version(key, bytes(body), content_type, cache_control)
            return self._set_info(key, replace(info, metadata=dict(metadata or {})))

    def copy_in_place(self, key: str, metadata: Mapping[str, str], *, if_etag: str) -> ObjectInfo:
        with self._lock:
            stored = self._find_object(key)
            if stored.info.etag != if_etag:
                raise PreconditionFailed(key)
            info = self._append_version(key, stored.body, stored.content_type, stored.cache_control)
            return self._set_info(key, replace(info, metadata=dict(metadata)))

    @contextmanager
    def multipart(
        self, key: str, *, content_type: str, metadata: Mapping[str, str]
    ) -> Iterator["_Parts"]:
        parts = _Parts()
        yield parts
        info = self._append_version(key, parts.join(), content_type, "")
        self._set_info(key, replace(info, metadata=dict(metadata)))

    def list_keys(self, after: str = "", limit: int = 1_000, *, prefix: str = "") -> KeyPage:
        # A copy first: other threads put keys meanwhile.
        ours = [key for key in tuple(self._versions) if key.startswith(prefix)]
        keys = sorted(ours, key=str.encode)
        later = [key for key in keys if key.encode() > after.encode()]
        newest = [self._versions[key][-1] for key in later[:limit]]
        entries = [
            ListedObject(stored.info.key, stored.info.version, stored.info.modified, stored.deleted)
            for stored in newest
        ]
        return KeyPage(entries, later[limit - 1] if len(later) > limit else "")

    def tags(self, key: str) -> dict[str, str]:
        return dict(self._find_object(key).tags)

    def tag(self, key: str, tags: Mapping[str, str]) -> None:
        self._versions[key][-1] = replace(self._find_object(key), tags=dict(tags))

    def delete(self, key: str) -> None:
        """Put a delete marker above the newest version."""
        if key in self._versions:
            marker = self._append_version(key, b"", "", "")
            self._versions[key][-1] = _StoredObject(b"", marker, "", "", deleted=True)

    def restore(self, key: str) -> None:
        """Delete the delete marker, as a curator does."""
        if self._versions[key].pop().deleted is False:
            raise ValueError(f"{key} is not deleted")

    def purge(self, key: str) -> None:
        """Delete every version without a trace, as a curator does."""
        self._versions.pop(key, None)

    def _current_etag(self, key: str) -> str:
        try:
            return self._find_object(key).info.etag
        except ObjectMissing:
            return ""

    def _find_object(self, key: str, version: str = "") -> _StoredObject:
        versions = self._versions.get(key, [])
        if versions and versions[-1].deleted and not version:
            raise ObjectMissing(key, versions[-1].info.version)
        for stored in reversed(versions):
            if version in ("", stored.info.version) and not stored.deleted:
                return stored
        raise ObjectMissing(key)

    def _append_version(
        self, key: str, body: bytes, content_type: str, cache_control: str
    ) -> ObjectInfo:
        etag = hashlib.md5(body, usedforsecurity=False).hexdigest()
        info = ObjectInfo(
            key=key,
            size=len(body),
            etag=etag,
            version=f"v{next(self._numbers)}",
            modified=rfc3339(self._now()),
            checksum=f"md5:{etag}",
        )
        stored = _StoredObject(body, info, content_type, cache_control)
        self._versions.setdefault(key, []).append(stored)
        return info

    def _set_info(self, key: str, info: ObjectInfo) -> ObjectInfo:
        self._versions[key][-1] = replace(self._versions[key][-1], info=info)
        return info
