"""Fills a plan: from a manifest, a folder of this machine or a prefix of the masters bucket."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from vitrine.errors import MasterRejected, ObjectMissing, Rejection
from vitrine.identify.identifier_rule import IdentifierRule
from vitrine.migrate.manifest import read_manifest
from vitrine.migrate.planned import Planned
from vitrine.migrate.row import BadRow, Row, source_unusable
from vitrine.migrate.services import MigrationServices
from vitrine.migrate.sources import LONGEST_KEY, Source, Sources, SourceUnusable, identifier_for
from vitrine.ports import VersionedStore

OnRow = Callable[[], None]


def rows_of_manifest(
    manifest: Path, services: MigrationServices, on_row: OnRow
) -> Iterator[Planned]:
    """Raises MigrationUnusable, OSError."""
    sources = Sources(manifest.absolute().parent, services.masters_bucket)
    for row in read_manifest(manifest):
        on_row()
        yield _from_row(row, sources, services.ingest.identifier_rule)


def rows_of_folder(folder: Path, services: MigrationServices, on_row: OnRow) -> Iterator[Planned]:
    """Every file below `folder` that is not hidden; its path in it is its key."""
    for line, path in enumerate(_files(folder), start=1):
        on_row()
        place, key = str(path), path.relative_to(folder).as_posix()
        problem = _file_problem(key)
        if problem:
            yield Planned(line=line, source=ascii(place), problem=problem)
        else:
            row = Row(line=line, source=place)
            source = Source(kind="file", place=place, key=key)
            yield _identified(row, source, services.ingest.identifier_rule)


def rows_of_prefix(prefix: str, services: MigrationServices, on_row: OnRow) -> Iterator[Planned]:
    """Every master whose key begins with `prefix`, folders' placeholders left out.

    Raises TransientError.
    """
    for line, key in enumerate(_keys(services.ingest.masters, prefix), start=1):
        on_row()
        row = Row(line=line, source=key)
        source = Source(kind="master", place=key, key=key)
        yield _identified(row, source, services.ingest.identifier_rule)


def _from_row(row: Row | BadRow, sources: Sources, rule: IdentifierRule) -> Planned:
    if isinstance(row, BadRow):
        return Planned(line=row.line, source=row.source, problem=row.problem)
    try:
        source = sources.resolve(row.source)
    except SourceUnusable as error:
        return Planned(line=row.line, source=row.source, problem=error.problem)
    return _identified(row, source, rule)


def _identified(row: Row, source: Source, rule: IdentifierRule) -> Planned:
    """With its identifier, or with the reason why it can have none."""
    identifier, problem = "", None
    try:
        identifier = identifier_for(row, source.key, rule)
    except MasterRejected as error:
        problem = error.rejection
    return Planned(
        line=row.line,
        source=row.source,
        kind=source.kind,
        place=source.place,
        key=source.key,
        identifier=identifier,
        given=bool(row.identifier),
        metadata=row.metadata,
        problem=problem,
    )


def _files(folder: Path) -> Iterator[Path]:
    """In the order of their names; links to folders are not followed, so that none leads round."""
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
    if length > LONGEST_KEY:
        return source_unusable(key, f"has a path of more than {LONGEST_KEY:,} bytes")
    return None


def _keys(masters: VersionedStore, prefix: str) -> Iterator[str]:
    if prefix and not prefix.endswith("/"):
        with suppress(ObjectMissing):
            yield masters.head(prefix).key
    after: str | None = prefix
    while after is not None:
        page = masters.list_keys(after)
        keys = [entry.key for entry in page.entries if not entry.deleted]
        ours = [key for key in keys if key.startswith(prefix)]
        yield from _without_folders(ours)
        past = bool(page.entries) and not page.entries[-1].key.startswith(prefix)
        after = page.next if page.next and not past else None


def _without_folders(keys: Iterable[str]) -> Iterator[str]:
    return (key for key in keys if not key.endswith("/"))
