"""The rows of a collection: of a manifest, a folder, or a prefix of the masters bucket."""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from vitrine.errors import MasterRejected, ObjectMissing, Rejection
from vitrine.identify.identifier import normalise_identifier
from vitrine.identify.identifier_rule import IdentifierRule
from vitrine.migrate.manifest import read_manifest
from vitrine.migrate.manifest_row import BadRow, ManifestRow, source_unusable
from vitrine.migrate.planned_row import PlannedRow
from vitrine.migrate.services import MigrationServices
from vitrine.migrate.sources import (
    MAX_KEY_LENGTH,
    MasterSource,
    MasterSources,
    SourceUnusable,
    identifier_for,
)
from vitrine.ports import VersionedStore
from vitrine.store.layout import master_key, owned_key
from vitrine.store.revisions import list_entries
from vitrine.store.side_files import is_side_file

OnRow = Callable[[], None]
OnSkip = Callable[[str], None]
"""Called with the path of a file that was passed over."""


def plan_manifest_rows(
    manifest: Path,
    services: MigrationServices,
    on_row: OnRow,
    *,
    owner: str = "",
    root: Path | None = None,
) -> Iterator[PlannedRow]:
    """Yield the rows of a manifest whose files are in `root`, its own folder if that is None.

    The masters belong to the collection `owner`, unless their rows name another. Raises
    MigrationUnusable, OSError.
    """
    sources = MasterSources(manifest.absolute().parent, services.masters_bucket, root)
    for row in read_manifest(manifest):
        on_row()
        yield _plan_row(row, sources, services.ingest.identifier_rule, owner)


def plan_folder_rows(
    folder: Path,
    services: MigrationServices,
    on_row: OnRow,
    on_skip: OnSkip = lambda name: None,
    *,
    owner: str = "",
) -> Iterator[PlannedRow]:
    """Yield every file below `folder` that may be a master; its path in the folder is its key.

    The key of a master of the collection `owner` begins with its identifier.
    Hidden files are left out; `on_skip` is called with the path of each side file.
    """
    for line, path in enumerate(_list_masters(folder, on_skip), start=1):
        on_row()
        place, key = str(path), master_key(path.relative_to(folder).as_posix())
        problem = _file_problem(key)
        if problem:
            yield PlannedRow(line=line, source=ascii(place), problem=problem)
        else:
            row = ManifestRow(line=line, source=place)
            source = MasterSource(kind="file", place=place, key=key)
            yield _plan_source(row, source, services.ingest.identifier_rule, owner)


def plan_prefix_rows(
    prefix: str, services: MigrationServices, on_row: OnRow
) -> Iterator[PlannedRow]:
    """Yield every master whose key begins with `prefix`, without the placeholders of folders.

    Raises TransientError.
    """
    for line, key in enumerate(_list_keys(services.ingest.masters, prefix), start=1):
        on_row()
        row = ManifestRow(line=line, source=key)
        source = MasterSource(kind="master", place=key, key=key)
        yield _plan_source(row, source, services.ingest.identifier_rule)


def _plan_row(
    row: ManifestRow | BadRow, sources: MasterSources, rule: IdentifierRule, owner: str
) -> PlannedRow:
    if isinstance(row, BadRow):
        return PlannedRow(line=row.line, source=row.source, problem=row.problem)
    try:
        source = sources.resolve(row.source)
    except SourceUnusable as error:
        return PlannedRow(line=row.line, source=row.source, problem=error.problem)
    return _plan_source(row, source, rule, row.owner or owner)


def _plan_source(
    row: ManifestRow, source: MasterSource, rule: IdentifierRule, owner: str = ""
) -> PlannedRow:
    """Return the row with its identifier, or with the reason why it cannot have one."""
    identifier, problem, key = "", None, source.key
    if source.kind == "master":  # it stays under its key
        owner = ""
    try:
        owner = normalise_identifier(owner) if owner else ""
        key = owned_key(owner, source.key)
        identifier = identifier_for(row, key, rule)
    except MasterRejected as error:
        problem = error.rejection
    if len(key.encode()) > MAX_KEY_LENGTH:
        why = f"has a key of more than {MAX_KEY_LENGTH:,} bytes below its collection's identifier"
        problem = source_unusable(row.source, why)
    return PlannedRow(
        line=row.line,
        source=row.source,
        kind=source.kind,
        place=source.place,
        key=key,
        owner=owner,
        identifier=identifier,
        given=bool(row.identifier),
        metadata=row.metadata,
        problem=problem,
    )


def _list_masters(folder: Path, on_skip: OnSkip) -> Iterator[Path]:
    for path in _list_files(folder):
        if is_side_file(path.name):
            on_skip(path.relative_to(folder).as_posix())
        else:
            yield path


def _list_files(folder: Path) -> Iterator[Path]:
    """Yield files in the order of their names; links to folders are not followed: they may loop."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(place, name)
            if not name.startswith(".") and path.is_file():
                yield path


def _file_problem(key: str) -> Rejection | None:
    try:
        length = len(key.encode())
    except UnicodeEncodeError:
        return source_unusable(ascii(key), "has a name that is not UTF-8")
    if length > MAX_KEY_LENGTH:
        return source_unusable(key, f"has a path of more than {MAX_KEY_LENGTH:,} bytes")
    return None


def _list_keys(masters: VersionedStore, prefix: str) -> Iterator[str]:
    if prefix and not prefix.endswith("/"):
        with suppress(ObjectMissing):
            yield masters.head(prefix).key
    for entry in list_entries(masters, prefix):
        if not (entry.deleted or entry.key.endswith("/")):
            yield entry.key
