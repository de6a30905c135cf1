"""The descriptions of a folder's files: one JSON file next to each version."""

import hashlib
import json
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from loadtest.rigs.directory_store.paths import STATE, digest_key
from vitrine.ports import ObjectInfo
from vitrine.store.clock import rfc3339

CHUNK_BYTES = 1 << 20
_MAX_REMEMBERED = 100_000


@dataclass(frozen=True, kw_only=True)
class VersionDescription:
    """Properties of an object that the file itself does not show."""

    etag: str
    content_type: str = ""
    cache_control: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)


class Versions:
    """Descriptions of the versions of all keys under `root`.

    A version is named by its file's inode, modification time and size. The description is there
    before the file gets its name, so that an opened file always has its own. A file that somebody
    else put there is described when it is first seen: its MD5 is computed once.
    """

    def __init__(self, root: Path) -> None:
        self._folder = root / STATE / "versions"
        self._known: dict[tuple[str, str], VersionDescription] = {}

    def path(self, key: str, version: str) -> Path:
        """Return the file of one version that was stored through us."""
        # A name of another shape is no version of ours: nothing outside the folder is reached.
        return self._folder / digest_key(key) / Path(version).name

    def describe(self, key: str, descriptor: int, description: VersionDescription) -> None:
        """Write the description of an open file, before it gets its name."""
        version = version_of(os.fstat(descriptor))
        self._remember_version(key, version, description)
        path = self._sidecar_path(key, version)
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(f".{os.getpid()}-{descriptor}")
        unfinished.write_text(json.dumps(asdict(description)))
        unfinished.replace(path)

    def description(self, key: str, descriptor: int) -> VersionDescription:
        """Return the description of an open file."""
        version = version_of(os.fstat(descriptor))
        known = self._known.get((key, version))
        if known is None:
            known = self._read_description(key, version) or self._of_a_stranger(key, descriptor)
            self._remember_version(key, version, known)
        return known

    def info(self, key: str, descriptor: int) -> ObjectInfo:
        """Return the store's information about an open file."""
        description, status = self.description(key, descriptor), os.fstat(descriptor)
        return ObjectInfo(
            key=key,
            size=status.st_size,
            etag=description.etag,
            version=version_of(status),
            modified=rfc3339(datetime.fromtimestamp(status.st_mtime, UTC)),
            metadata=description.metadata,
        )

    def _remember_version(self, key: str, version: str, description: VersionDescription) -> None:
        if len(self._known) >= _MAX_REMEMBERED:
            self._known.clear()
        self._known[key, version] = description

    def _read_description(self, key: str, version: str) -> VersionDescription | None:
        try:
            return VersionDescription(**json.loads(self._sidecar_path(key, version).read_text()))
        except (FileNotFoundError, ValueError, TypeError):
            return None

    def _of_a_stranger(self, key: str, descriptor: int) -> VersionDescription:
        description = VersionDescription(etag=_hash_file(descriptor))
        with suppress(OSError):  # a folder that we may only read
            self.describe(key, descriptor, description)
        return description

    def _sidecar_path(self, key: str, version: str) -> Path:
        return self._folder / digest_key(key) / f"{version}.json"


def version_of(status: os.stat_result) -> str:
    """Changes whenever the file is replaced or rewritten."""
    return f"{status.st_ino:x}-{status.st_mtime_ns:x}-{status.st_size:x}"


def is_object(status: os.stat_result) -> bool:
    """Raise NotFound for folders."""
    return stat.S_ISREG(status.st_mode)


def _hash_file(descriptor: int) -> str:
    state = hashlib.md5(usedforsecurity=False)
    position = 0
    while chunk := os.pread(descriptor, CHUNK_BYTES, position):
        state.update(chunk)
        position += len(chunk)
    return state.hexdigest()
