"""A patch of how ministack unpacks functions and layers; the package says what a patch is."""

import hashlib
import os
import shutil
import tempfile
import time
import zipfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

UNUSED_SECONDS = 7 * 24 * 3600
"""Seconds for which an unpacked folder is kept that no Lambda uses."""


def patches() -> dict[str, Callable[[], None]]:
    """Return the patch by name."""
    return {"unpack_once": unpack_once}


def unpack_once() -> None:
    """Unpack each function and layer once, and link it into the folder of every worker.

    ministack: `Worker._spawn` in `core/lambda_runtime.py` unpacks a function and all of its layers
    for each of its processes, and keeps their archives next to them.
    AWS: the code is read-only in /var/task, a layer in /opt, and neither takes anything from the
    function's disk (Lambda, "Managing Lambda dependencies with layers").
    Symptom: 60 MB of disk for each Lambda that runs, and for each copy of it that runs at once;
    each of them compiles all of its modules, which is half of its start.
    """
    runtime: Any = import_module("ministack.core.lambda_runtime")
    if runtime.zipfile is not zipfile:
        raise RuntimeError("ministack unpacks functions and layers in another way")
    runtime.zipfile = SimpleNamespace(
        ZipFile=_SharedArchive,
        BadZipFile=zipfile.BadZipFile,
        LargeFileError=zipfile.LargeZipFile,  # the name that ministack has for it
    )
    _remove_unused(_shared_folder())


def _shared_folder() -> Path:
    """Return what all emulators of this repository share, so that restarts find it too."""
    return Path(os.environ["VITRINE_EMULATOR_UNPACKED"])


def _remove_unused(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        if path.stat().st_mtime < time.time() - UNUSED_SECONDS:
            shutil.rmtree(path, ignore_errors=True)


class _SharedArchive(zipfile.ZipFile):
    """An archive that is unpacked into a folder of its own contents, unless it is there already."""

    def extractall(self, path: Any = None, members: Any = None, pwd: Any = None) -> None:
        if self.filename is None:
            super().extractall(path, members, pwd)
            return
        with Path(self.filename).open("rb") as archive:
            name = hashlib.file_digest(archive, "sha256").hexdigest()
        shared = _shared_folder() / name
        if not shared.exists():
            half = tempfile.mkdtemp(prefix="half-", dir=shared.parent)
            super().extractall(half, members, pwd)
            try:
                Path(half).rename(shared)
            except OSError:  # another worker was faster
                shutil.rmtree(half)
        os.utime(shared)
        target = Path(path or ".")
        target.rmdir()
        target.symlink_to(shared)
        os.truncate(self.filename, 0)
