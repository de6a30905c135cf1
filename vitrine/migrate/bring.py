"""Brings a row's source into the masters bucket, unless it lies there already.

Only whoever runs the command does this, with their own rights: no role of ours writes masters.
"""

import mimetypes
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from vitrine.errors import ObjectMissing
from vitrine.ingest.start.start_ingest import IDENTIFIER_METADATA
from vitrine.migrate.planned import Planned, Result
from vitrine.migrate.row import source_missing, source_unusable
from vitrine.migrate.services import MigrationServices
from vitrine.ports import ObjectInfo
from vitrine.store.clock import rfc3339

SOURCE_METADATA = "source-version"
"""Metadata of a master that was brought: which state of its source it is."""

OnBytes = Callable[[int], None]


def bring_or_tell(
    services: MigrationServices,
    row: Planned,
    on_bytes: OnBytes,
    patiently: Callable[[Callable[[], bool]], bool],
) -> tuple[bool, Result | None]:
    """Was the row's source brought, and why the row ends here if it cannot be.

    `patiently` calls again after a TransientError, and raises it in the end.
    """
    try:
        return patiently(lambda: bring(services, row, on_bytes)), None
    except ObjectMissing:
        return False, Result(state="missing", problem=source_missing(row.source))
    except OSError as error:
        problem = source_unusable(row.source, f"cannot be read: {error.strerror}")
        return False, Result(state="rejected", problem=problem)


def bring(
    services: MigrationServices, row: Planned, on_bytes: OnBytes = lambda count: None
) -> bool:
    """Is the source in the masters bucket now, and was not before?

    Raises ObjectMissing when there is no source, TransientError, OSError for a file that cannot be
    read. `on_bytes` hears how many bytes were sent, from any thread.
    """
    if row.kind == "master":
        return False
    if row.kind == "file":
        return _upload(services, row, on_bytes)
    return _copy(services, row)


def _upload(services: MigrationServices, row: Planned, on_bytes: OnBytes) -> bool:
    path = Path(row.place)
    try:
        status = path.stat()
    except FileNotFoundError as error:
        raise ObjectMissing(row.place) from error
    changed = rfc3339(datetime.fromtimestamp(status.st_mtime, UTC))
    metadata = _metadata(row, changed)
    if _is_there(services, row, status.st_size, metadata):
        return False
    services.ingest.masters.upload(
        path,
        row.key,
        content_type=mimetypes.guess_type(path.name)[0] or "application/octet-stream",
        metadata=metadata,
        on_progress=on_bytes,
    )
    return True


def _copy(services: MigrationServices, row: Planned) -> bool:
    source = services.foreign.head(row.place)
    metadata = _metadata(row, source.version or source.etag)
    if _is_there(services, row, source.size, metadata):
        return False
    services.foreign.copy(source, row.place, row.key, metadata)
    return True


def _metadata(row: Planned, source_version: str) -> dict[str, str]:
    given = {IDENTIFIER_METADATA: row.identifier} if row.given else {}
    return given | {SOURCE_METADATA: source_version}


def _is_there(
    services: MigrationServices, row: Planned, size: int, metadata: Mapping[str, str]
) -> bool:
    try:
        there: ObjectInfo = services.ingest.masters.head(row.key)
    except ObjectMissing:
        return False
    return there.size == size and {name: there.metadata.get(name) for name in metadata} == dict(
        metadata
    )
