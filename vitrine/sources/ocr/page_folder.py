"""Folders for the files of a page; those of processes that died are removed by the next one."""

import os
import shutil
import tempfile
from pathlib import Path

_PREFIX = "vitrine-ocr-"


def page_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a folder that is gone after its page, named by this process."""
    return tempfile.TemporaryDirectory(prefix=f"{_PREFIX}{os.getpid()}-")


def remove_abandoned() -> None:
    """Remove the folders of processes that are gone. Called before this process has one.

    A Lambda that was killed starts again with what is in its /tmp, of 2 GiB.
    """
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*-*"):
        process = folder.name.removeprefix(_PREFIX).partition("-")[0]
        # The number may have been that of another one before.
        if process == str(os.getpid()) or not Path("/proc", process).exists():
            shutil.rmtree(folder, ignore_errors=True)
