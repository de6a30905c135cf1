"""A patch of how ministack unpacks layers; the package says what a patch is."""

import hashlib
import os
import shutil
import tempfile
import threading
import zipfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

_unpacking = threading.Lock()


def patches() -> dict[str, Callable[[], None]]:
    """Return the patch by name."""
    return {"share_layers": share_layers}


def share_layers() -> None:
    """Unpack each layer once, and link it into the folder of every worker.

    ministack: `Worker._spawn` in `core/lambda_runtime.py` unpacks all layers of a function for each
    of its processes, and keeps their archives next to them.
    AWS: a layer is read-only in /opt, and takes nothing from the function's disk (Lambda, "Managing
    Lambda dependencies with layers").
    Symptom: 60 MB of disk for each Lambda that runs, and for each copy of it that runs at once.
    """
    runtime: Any = import_module("ministack.core.lambda_runtime")
    if runtime.zipfile is not zipfile:
        raise RuntimeError("ministack unpacks layers in another way")
    runtime.zipfile = SimpleNamespace(
        ZipFile=_SharedLayer,
        BadZipFile=zipfile.BadZipFile,
        LargeFileError=zipfile.LargeZipFile,  # the name that ministack has for it
    )


class _SharedLayer(zipfile.ZipFile):
    """An archive that is unpacked into a folder of its own contents, unless it is there already."""

    def extractall(self, path: Any = None, members: Any = None, pwd: Any = None) -> None:
        target = Path(path or ".")
        if not target.name.startswith("layer_") or self.filename is None:
            super().extractall(path, members, pwd)
            return
        with Path(self.filename).open("rb") as archive:
            name = hashlib.file_digest(archive, "sha256").hexdigest()
        shared = Path(tempfile.gettempdir(), "layers", name)
        with _unpacking:
            if not shared.exists():
                half = shared.with_suffix(".half")
                shutil.rmtree(half, ignore_errors=True)
                super().extractall(half, members, pwd)
                half.rename(shared)
        target.rmdir()
        target.symlink_to(shared)
        os.truncate(self.filename, 0)
