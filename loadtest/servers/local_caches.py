"""The caches of the running one-machine service that can be emptied under it."""

import re
from pathlib import Path

from vitrine.local.task import memory_folder

_KEPT = re.compile(r"[0-9a-f]{32}")
"""nginx names what it keeps by the MD5 of its key; other files are still being written."""


def clear_edge(directory: Path) -> int:
    """Remove all answers that the edge of the service in `directory` keeps; return their number."""
    return _remove_files(directory / "edge" / "cache")


def clear_derivatives(directory: Path) -> int:
    """Remove all derivatives that the image task's nginx keeps, and return their number."""
    return clear_derivatives_of(directory / "task")


def clear_derivatives_of(task: Path) -> int:
    """Remove all derivatives that nginx keeps of the image task whose folder is `task`."""
    # containers/nginx/start names the last part.
    return sum(_remove_files(folder) for folder in memory_folder(task).glob("*/*derivatives"))


def _remove_files(folder: Path) -> int:
    """Remove an nginx cache's files; nginx fetches again what is gone."""
    kept = [path for path in folder.rglob("*") if _KEPT.fullmatch(path.name)]
    for path in kept:
        path.unlink(missing_ok=True)
    return len(kept)
