"""The source of a row, and the key of its master in the masters bucket."""

import os
from dataclasses import dataclass
from pathlib import Path

from vitrine.errors import Rejection
from vitrine.identify.identifier import normalise_identifier
from vitrine.identify.identifier_rule import IdentifierRule
from vitrine.migrate.manifest_row import Kind, ManifestRow, source_unusable
from vitrine.store.layout import master_key

LONGEST_KEY = 1_024
"""Bytes of an S3 key."""
SCHEME = "s3://"


@dataclass(frozen=True, kw_only=True)
class Source:
    """A resolved source. `place` is a file's path, a key, or bucket/key of another bucket."""

    kind: Kind
    place: str
    key: str
    """Key of the master."""


class SourceUnusable(Exception):
    """A source that cannot be a master; `problem` says why."""

    def __init__(self, problem: Rejection) -> None:
        self.problem = problem
        super().__init__(problem.sentence)


class Sources:
    """Resolves sources against the folder of the manifest and the name of the masters bucket."""

    def __init__(self, folder: Path, masters_bucket: str) -> None:
        self._folder = folder.absolute()
        self._masters = masters_bucket

    def resolve(self, source: str) -> Source:
        """Return an existing file, an object of an address, or else a key of the masters bucket.

        Raises SourceUnusable.
        """
        found = (
            self._resolve_address(source)
            if source.startswith(SCHEME)
            else self._resolve_path(source)
        )
        if not found.key:
            raise SourceUnusable(source_unusable(source, "has no key; write s3://bucket/key"))
        if len(found.key.encode()) > LONGEST_KEY:
            raise SourceUnusable(
                source_unusable(
                    source, f"has a key of more than {LONGEST_KEY:,} bytes; give it a shorter one"
                )
            )
        if found.kind != "file" and found.key.endswith("/"):
            raise SourceUnusable(source_unusable(source, "is a folder; migrate it with --prefix"))
        return found

    def _resolve_address(self, source: str) -> Source:
        bucket, _, key = source.removeprefix(SCHEME).partition("/")
        if bucket == self._masters:
            return Source(kind="master", place=key, key=key)
        return Source(kind="foreign", place=f"{bucket}/{key}", key=f"{bucket}/{key}" if key else "")

    def _resolve_path(self, source: str) -> Source:
        try:
            path = Path(os.path.normpath(self._folder / source))
            is_file, is_folder = path.is_file(), path.is_dir()
        except (ValueError, OSError):  # a NUL, or too long for this machine's files
            return Source(kind="master", place=source, key=source)
        if is_file:
            return Source(kind="file", place=str(path), key=self._key(path))
        if is_folder and not source.endswith("/"):
            raise SourceUnusable(
                source_unusable(
                    source, "is a folder; give its path to the command instead of a manifest"
                )
            )
        return Source(kind="master", place=source, key=source)

    def _key(self, path: Path) -> str:
        """Return the path in the manifest's folder; for a file elsewhere the whole path."""
        if path.is_relative_to(self._folder):
            return master_key(path.relative_to(self._folder).as_posix())
        return master_key(path.as_posix().lstrip("/"))


def identifier_for(row: ManifestRow, key: str, rule: IdentifierRule) -> str:
    """Return the given identifier, or the one in the key.

    Raises MasterRejected: identifier-invalid, identifier-missing.
    """
    return normalise_identifier(row.identifier or rule.identifier(key))
