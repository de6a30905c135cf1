"""Which files `up` uploads: the user's own, or a sample for a service that has nothing."""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from vitrine.errors import ObjectMissing
from vitrine.ports import ObjectStore
from vitrine.store.clock import rfc3339
from vitrine.store.layout import master_key
from vitrine.store.side_files import is_side_file


def list_files(place: Path) -> list[Path]:
    """Return `place` itself if it is a file, else every file below it that may be a master."""
    if place.is_file():
        return [place]
    return [path for path in _files_below(place) if not is_side_file(path.name)]


def list_side_files(place: Path) -> list[str]:
    """Return the names of the files below `place` that are no masters, hidden ones left out."""
    return [path.name for path in _files_below(place) if is_side_file(path.name)]


def _files_below(place: Path) -> list[Path]:
    return sorted(
        path
        for path in place.rglob("*")
        if path.is_file()
        and not any(part.startswith(".") for part in path.relative_to(place).parts)
    )


def group_by_name(files: Iterable[Path]) -> list[list[Path]]:
    """Return groups of files that would replace each other: a master's key is its file name."""
    by_name: dict[str, list[Path]] = {}
    for path in files:
        by_name.setdefault(master_key(path.name), []).append(path)
    return [paths for paths in by_name.values() if len(paths) > 1]


def select_new(store: ObjectStore, files: Iterable[Path]) -> list[Path]:
    """Return the files whose master is absent, of another size, or older than the file."""
    return [path for path in files if not _is_uploaded(store, path)]


def _is_uploaded(store: ObjectStore, path: Path) -> bool:
    try:
        master = store.head(master_key(path.name))
    except ObjectMissing:
        return False
    status = path.stat()
    # S3 keeps whole seconds: a file uploaded within its own second must not look newer.
    changed = rfc3339(datetime.fromtimestamp(int(status.st_mtime), UTC))
    return master.size == status.st_size and master.modified >= changed
