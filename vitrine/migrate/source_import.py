"""The import of a row's source into the masters bucket, unless it is there already.

Only the person who runs the command does this, with their own rights: no role of ours writes
masters.
"""

import mimetypes
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from vitrine.errors import ObjectMissing
from vitrine.ingest.start.start_ingest import IDENTIFIER_METADATA
from vitrine.migrate.manifest_row import source_missing, source_unusable
from vitrine.migrate.planned_row import PlannedRow, RowResult
from vitrine.migrate.services import MigrationServices
from vitrine.ports import ObjectInfo
from vitrine.store.clock import rfc3339

SOURCE_METADATA = "source-version"
"""Metadata of an imported master: the version of its source."""

OnBytes = Callable[[int], None]


def try_import_source(
    services: MigrationServices,
    row: PlannedRow,
    on_bytes: OnBytes,
    retry: Callable[[Callable[[], bool]], bool],
) -> tuple[bool, RowResult | None]:
    """Import the row's source; return whether it was copied, and the row's result if it cannot be.

    `retry` calls a function again after a TransientError, and raises the last one.
    """
    try:
        return retry(lambda: import_source(services, row, on_bytes)), None
    except ObjectMissing:
        return False, RowResult(state="missing", problem=source_missing(row.source))
    except OSError as error:
        problem = source_unusable(row.source, f"cannot be read: {error.strerror}")
        return False, RowResult(state="rejected", problem=problem)


def import_source(
    services: MigrationServices, row: PlannedRow, on_bytes: OnBytes = lambda count: None
) -> bool:
    """Copy the source into the masters bucket; return False if it was there already.

    Raises ObjectMissing if there is no source, TransientError, OSError for a file that cannot be
    read. `on_bytes` is called with the number of bytes just sent, from any thread.
    """
    if row.kind == "master":
        return False
    if row.kind == "file":
        return _upload_file(services, row, on_bytes)
    return _copy_object(services, row)


def _upload_file(services: MigrationServices, row: PlannedRow, on_bytes: OnBytes) -> bool:
    path = Path(row.place)
    try:
        status = path.stat()
    except FileNotFoundError as error:
        raise ObjectMissing(row.place) from error
    changed = rfc3339(datetime.fromtimestamp(status.st_mtime, UTC))
    metadata = _master_metadata(row, changed)
    if _is_imported(services, row, status.st_size, metadata):
        return False
    services.ingest.masters.upload(
        path,
        row.key,
        content_type=mimetypes.guess_type(path.name)[0] or "application/octet-stream",
        metadata=metadata,
        on_progress=on_bytes,
    )
    return True


def _copy_object(services: MigrationServices, row: PlannedRow) -> bool:
    source = services.foreign.head(row.place)
    metadata = _master_metadata(row, source.version or source.etag)
    if _is_imported(services, row, source.size, metadata):
        return False
    services.foreign.copy(source, row.place, row.key, metadata)
    return True


def _master_metadata(row: PlannedRow, source_version: str) -> dict[str, str]:
    given = {IDENTIFIER_METADATA: row.identifier} if row.given else {}
    return given | {SOURCE_METADATA: source_version}


def _is_imported(
    services: MigrationServices, row: PlannedRow, size: int, metadata: Mapping[str, str]
) -> bool:
    try:
        master: ObjectInfo = services.ingest.masters.head(row.key)
    except ObjectMissing:
        return False
    known = {name: master.metadata.get(name) for name in metadata}
    return master.size == size and known == dict(metadata)
