"""A process that died leaves no files behind that fill the disk of the next one."""

import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from vitrine.sources.ocr.page_folder import page_folder, remove_abandoned


def test_folders_of_processes_that_are_gone_are_removed_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    gone = subprocess.Popen(["true"])
    gone.wait()
    kept = {f"vitrine-ocr-{os.getppid()}-x", "vitrine-inbox", "vitrine-ocr-notes"}
    for name in (*kept, f"vitrine-ocr-{gone.pid}-x", f"vitrine-ocr-{os.getpid()}-x"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "pyramid.tif").write_bytes(b"large")
    remove_abandoned()
    assert {path.name for path in tmp_path.iterdir()} == kept
    with page_folder() as folder:
        assert Path(folder).name.startswith(f"vitrine-ocr-{os.getpid()}-")
    assert {path.name for path in tmp_path.iterdir()} == kept
