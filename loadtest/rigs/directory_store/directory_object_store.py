"""A versioned bucket in a folder."""

import errno
import fcntl
import hashlib
import os
import shutil
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from mmap import mmap
from pathlib import Path
from typing import BinaryIO

from loadtest.rigs.directory_store.paths import STATE, object_path
from loadtest.rigs.directory_store.versions import (
    CHUNK_BYTES,
    VersionDescription,
    Versions,
    is_object,
    version_of,
)
from vitrine.errors import ObjectMissing, PreconditionFailed, TransientError
from vitrine.ports import ObjectInfo, ObjectPart

MAXIMUM_PARTS = 10_000
_FAILING = (errno.EIO, errno.ESTALE, errno.ETIMEDOUT)


class DirectoryObjectStore:
    """The files under `root` are the objects; also those that somebody else puts there.

    Writes are atomic: a file appears whole, in place of the one before it. As in a versioned
    bucket older versions are kept for ever, in `root/.vitrine`. One file system with hard links;
    the keys `a` and `a/b` cannot both be.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._unfinished = root / STATE / "unfinished"
        self._versions = Versions(root)

    def head(self, key: str) -> ObjectInfo:
        with self._open_object(key) as descriptor:
            return self._versions.info(key, descriptor)

    def get(self, key: str) -> tuple[bytes, ObjectInfo]:
        with self._open_object(key) as descriptor:
            info = self._versions.info(key, descriptor)
            return os.pread(descriptor, info.size, 0), info

    def read(
        self, key: str, start: int, length: int, *, version: str = "", if_etag: str = ""
    ) -> ObjectPart:
        with self._open_object(key, version) as descriptor:
            etag = self._versions.description(key, descriptor).etag
            if if_etag not in ("", etag):
                raise PreconditionFailed(key)
            size = os.fstat(descriptor).st_size
            return ObjectPart(os.pread(descriptor, length, start), etag, size)

    def download(self, key: str, path: Path, version: str = "") -> ObjectInfo:
        with self._open_object(key, version) as descriptor, path.open("wb") as file:
            with os.fdopen(os.dup(descriptor), "rb") as source:
                shutil.copyfileobj(source, file, CHUNK_BYTES)
            return self._versions.info(key, descriptor)

    def upload(
        self,
        path: Path,
        key: str,
        *,
        content_type: str,
        metadata: Mapping[str, str],
        on_progress: Callable[[int], None] | None = None,
    ) -> ObjectInfo:
        with path.open("rb") as source:
            return self._keep_chunks(
                key, _read_chunks(source, on_progress), content_type, "", metadata
            )

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
        return self._keep_chunks(
            key, iter([bytes(body)]), content_type, cache_control, metadata or {}, if_etag
        )

    @contextmanager
    def multipart(
        self, key: str, *, content_type: str, metadata: Mapping[str, str]
    ) -> Iterator["_FileParts"]:
        parts = _FileParts(self._unfinished / uuid.uuid4().hex)
        try:
            yield parts
            self._keep_chunks(key, parts.chunks(), content_type, "", metadata)
        finally:
            shutil.rmtree(parts.folder, ignore_errors=True)

    def delete(self, key: str) -> None:
        """Delete an object, as a curator does; no code of ours deletes."""
        object_path(self.root, key).unlink(missing_ok=True)

    def unfinished_uploads(self) -> list[Path]:
        """Return the files that take space without being an object."""
        return sorted(self._unfinished.glob("*"))

    def _keep_chunks(
        self,
        key: str,
        chunks: Iterator[bytes],
        content_type: str,
        cache_control: str,
        metadata: Mapping[str, str],
        if_etag: str | None = None,
    ) -> ObjectInfo:
        self._unfinished.mkdir(parents=True, exist_ok=True)
        unfinished = self._unfinished / uuid.uuid4().hex
        state = hashlib.md5(usedforsecurity=False)
        try:
            with unfinished.open("w+b") as file:
                for chunk in chunks:
                    state.update(chunk)
                    file.write(chunk)
                file.flush()
                os.fsync(file.fileno())
                description = VersionDescription(
                    etag=state.hexdigest(),
                    content_type=content_type,
                    cache_control=cache_control,
                    metadata=dict(metadata),
                )
                self._versions.describe(key, file.fileno(), description)
                self._name_file(key, unfinished, file, if_etag)
                return self._versions.info(key, file.fileno())
        finally:
            unfinished.unlink(missing_ok=True)

    def _name_file(self, key: str, unfinished: Path, file: BinaryIO, if_etag: str | None) -> None:
        """Let the finished file be the newest version."""
        path = object_path(self.root, key)
        path.parent.mkdir(parents=True, exist_ok=True)
        with self._lock_store():
            if if_etag is not None and if_etag != self._current_etag(key):
                raise PreconditionFailed(key)
            version = version_of(os.fstat(file.fileno()))
            os.link(unfinished, self._versions.path(key, version))
            unfinished.replace(path)

    def _current_etag(self, key: str) -> str:
        try:
            return self.head(key).etag
        except ObjectMissing:
            return ""

    @contextmanager
    def _lock_store(self) -> Iterator[None]:
        """Admit one writer at a time, of all threads and processes."""
        with (self.root / STATE / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    @contextmanager
    def _open_object(self, key: str, version: str = "") -> Iterator[int]:
        path = self._object_path(key, version)
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise ObjectMissing(key) from error
        try:
            status = os.fstat(descriptor)
            if not is_object(status) or version not in ("", version_of(status)):
                raise ObjectMissing(key)
            yield descriptor
        except OSError as error:
            if error.errno in _FAILING:
                raise TransientError(f"{key}: {error}") from error
            raise
        finally:
            os.close(descriptor)

    def _object_path(self, key: str, version: str) -> Path:
        stored = self._versions.path(key, version)
        # A file that somebody else put there has a version as well, but is in one place only.
        return stored if version and stored.is_file() else object_path(self.root, key)


class _FileParts:
    """The parts of one upload, each a file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)

    def part(self, number: int, data: bytes) -> None:
        if not 1 <= number <= MAXIMUM_PARTS:
            raise ValueError(f"there is no part {number}")
        (self.folder / f"{number:05}").write_bytes(data)

    def chunks(self) -> Iterator[bytes]:
        paths = sorted(self.folder.iterdir())
        if not paths:
            raise ValueError("no parts")
        for path in paths:
            with path.open("rb") as source:
                yield from _read_chunks(source)
            with suppress(FileNotFoundError):
                path.unlink()


def _read_chunks(source: BinaryIO, on_read: Callable[[int], None] | None = None) -> Iterator[bytes]:
    while chunk := source.read(CHUNK_BYTES):
        yield chunk
        if on_read:
            on_read(len(chunk))
