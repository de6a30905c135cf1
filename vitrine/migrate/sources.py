"""The source of a row, and the key of its master in the masters bucket."""

import os
from dataclasses import dataclass
from pathlib import Path

from vitrine.errors import Rejection
from vitrine.identify.identifier import normalise_identifier
from vitrine.identify.identifier_rule import IdentifierRule
from vitrine.migrate.manifest_row import Kind, ManifestRow, source_unusable
from vitrine.store.layout import master_key

MAX_KEY_LENGTH = 1_024
"""Bytes of an S3 key."""
SCHEME = "s3://"


@dataclass(frozen=True, kw_only=True)
class MasterSource:
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


def path_within(path: Path, folder: Path) -> str:
    """Return the path of a file within a folder, "" if it is not there.

    It is the same however the two are written: through "..", symbolic links or absolutely. A link
    in the folder counts by its own name.
    """
    real = path.parent.resolve() / path.name
    for one, place in ((real, folder.resolve()), (path.absolute(), folder.absolute())):
        inside = Path(os.path.normpath(one))
        if inside.is_relative_to(os.path.normpath(place)):
            return inside.relative_to(os.path.normpath(place)).as_posix()
    return ""


class MasterSources:
    """Resolves sources against the folder of the manifest and the name of the masters bucket."""

    def __init__(self, folder: Path, masters_bucket: str, root: Path | None = None) -> None:
        """Files have to be in `root`, the folder itself if it is None."""
        self._folder = folder.absolute()
        self._root = root or self._folder
        self._masters = masters_bucket

    def resolve(self, source: str) -> MasterSource:
        """Return an existing file, an object of an address, or else a key of the masters bucket.

        Raises SourceUnusable, also for a file outside the folder: its key would be a path of this
        machine.
        """
        found = (
            self._resolve_address(source)
            if source.startswith(SCHEME)
            else self._resolve_path(source)
        )
        if not found.key:
            raise SourceUnusable(source_unusable(source, "has no key; write s3://bucket/key"))
        if len(found.key.encode()) > MAX_KEY_LENGTH:
            raise SourceUnusable(
                source_unusable(
                    source,
                    f"has a key of more than {MAX_KEY_LENGTH:,} bytes; give it a shorter one",
                )
            )
        if found.kind != "file" and found.key.endswith("/"):
            raise SourceUnusable(source_unusable(source, "is a folder; migrate it with --prefix"))
        return found

    def _resolve_address(self, source: str) -> MasterSource:
        bucket, _, key = source.removeprefix(SCHEME).partition("/")
        if bucket == self._masters:
            return MasterSource(kind="master", place=key, key=key)
        return MasterSource(
            kind="foreign", place=f"{bucket}/{key}", key=f"{bucket}/{key}" if key else ""
        )

    def _resolve_path(self, source: str) -> MasterSource:
        try:
            path = self._folder / source
            is_file, is_folder = path.is_file(), path.is_dir()
        except (ValueError, OSError):  # a NUL, or too long for this machine's files
            return MasterSource(kind="master", place=source, key=source)
        if is_file:
            place = str(path.parent.resolve() / path.name)
            return MasterSource(kind="file", place=place, key=self._key(source, path))
        if is_folder and not source.endswith("/"):
            raise SourceUnusable(
                source_unusable(
                    source, "is a folder; give its path to the command instead of a manifest"
                )
            )
        return MasterSource(kind="master", place=source, key=source)

    def _key(self, source: str, path: Path) -> str:
        if inside := path_within(path, self._root):
            return master_key(inside)
        raise SourceUnusable(
            source_unusable(
                source,
                "is outside the folder of its list; put the list into a folder that has all of "
                "the files",
            )
        )


def identifier_for(row: ManifestRow, key: str, rule: IdentifierRule) -> str:
    """Return the given identifier, or the one in the key.

    Raises MasterRejected: identifier-invalid, identifier-missing.
    """
    return normalise_identifier(row.identifier or rule.identifier(key))
