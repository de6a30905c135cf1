"""A folder of access masters as the bucket of a gateway."""

import hashlib
import os
from datetime import UTC, datetime
from pathlib import Path

from vitrine.errors import ObjectMissing, PreconditionFailed
from vitrine.ports import ObjectInfo, ObjectPart
from vitrine.store.clock import rfc3339


class FolderStore:
    """The files of a folder are the objects; one that is replaced is another version."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def head(self, key: str) -> ObjectInfo:
        try:
            return _describe_file(key, (self._folder / key).stat())
        except FileNotFoundError:
            raise ObjectMissing(key) from None

    def read(
        self, key: str, start: int, length: int, *, version: str = "", if_etag: str = ""
    ) -> ObjectPart:
        try:
            descriptor = os.open(self._folder / key, os.O_RDONLY)
        except FileNotFoundError:
            raise ObjectMissing(key) from None
        try:
            info = _describe_file(key, os.fstat(descriptor))
            if if_etag not in ("", info.etag):
                raise PreconditionFailed(key)
            return ObjectPart(os.pread(descriptor, length, start), info.etag, info.size)
        finally:
            os.close(descriptor)


def _describe_file(key: str, status: os.stat_result) -> ObjectInfo:
    version = f"{status.st_ino:x}-{status.st_mtime_ns:x}-{status.st_size:x}"
    return ObjectInfo(
        key=key,
        size=status.st_size,
        etag=hashlib.md5(version.encode(), usedforsecurity=False).hexdigest(),
        version=version,
        modified=rfc3339(datetime.fromtimestamp(status.st_mtime, UTC)),
    )
