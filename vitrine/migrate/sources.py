"""What a row's source is, and under which key its master lies in the masters bucket."""

import os
from dataclasses import dataclass
from pathlib import Path

from vitrine.errors import Rejection
from vitrine.identify.identifier import normalise_identifier
from vitrine.identify.identifier_rule import IdentifierRule
from vitrine.migrate.row import Kind, Row, source_unusable

LONGEST_KEY = 1_024
"""Bytes of an S3 key."""
SCHEME = "s3://"


@dataclass(frozen=True, kw_only=True)
class Source:
    """`place` is the file's path, the key, or bucket/key of another bucket."""

    kind: Kind
    place: str
    key: str
    """Of the master."""


class SourceUnusable(Exception):
    """No master can be made of it."""

    def __init__(self, problem: Rejection) -> None:
        self.problem = problem
        super().__init__(problem.sentence)


class Sources:
    """Resolves sources against the folder of the manifest and the name of the masters bucket."""

    def __init__(self, folder: Path, masters_bucket: str) -> None:
        self._folder = folder.absolute()
        self._masters = masters_bucket

    def resolve(self, source: str) -> Source:
        """A file that is there, an object's address, else a key of the masters bucket.

        Raises SourceUnusable.
        """
        found = self._address(source) if source.startswith(SCHEME) else self._path(source)
        if not found.key:
            raise SourceUnusable(source_unusable(source, "has no key"))
        if len(found.key.encode()) > LONGEST_KEY:
            raise SourceUnusable(
                source_unusable(source, f"has a key of more than {LONGEST_KEY:,} bytes")
            )
        if found.kind != "file" and found.key.endswith("/"):
            raise SourceUnusable(source_unusable(source, "is a folder; give all of it by --prefix"))
        return found

    def _address(self, source: str) -> Source:
        bucket, _, key = source.removeprefix(SCHEME).partition("/")
        if bucket == self._masters:
            return Source(kind="master", place=key, key=key)
        return Source(kind="foreign", place=f"{bucket}/{key}", key=f"{bucket}/{key}" if key else "")

    def _path(self, source: str) -> Source:
        try:
            path = Path(os.path.normpath(self._folder / source))
            there, folder = path.is_file(), path.is_dir()
        except (ValueError, OSError):  # a NUL, or too long for this machine's files
            return Source(kind="master", place=source, key=source)
        if there:
            return Source(kind="file", place=str(path), key=self._key(path))
        if folder and not source.endswith("/"):
            raise SourceUnusable(source_unusable(source, "is a folder; migrate it by its own name"))
        return Source(kind="master", place=source, key=source)

    def _key(self, path: Path) -> str:
        """Its path in the manifest's folder; of a file elsewhere the whole path."""
        if path.is_relative_to(self._folder):
            return path.relative_to(self._folder).as_posix()
        return path.as_posix().lstrip("/")


def identifier_for(row: Row, key: str, rule: IdentifierRule) -> str:
    """The identifier given, or the one in the key.

    Raises MasterRejected: identifier-invalid, identifier-missing.
    """
    return normalise_identifier(row.identifier or rule.identifier(key))
