"""The cost of an import is that of a fresh process with the folders that it is given."""

import subprocess
import sys
from pathlib import Path

import pytest

from docs.build.cold_starts import import_cost


def test_all_modules_of_an_import_are_counted(tmp_path: Path) -> None:
    (tmp_path / "handler.py").write_text("import inner\n")
    (tmp_path / "inner.py").write_text("")
    _, inner = import_cost(sys.executable, "inner", [tmp_path])
    _, both = import_cost(sys.executable, "handler", [tmp_path])
    assert both == inner + 1


def test_what_is_not_in_the_folders_cannot_be_imported(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        import_cost(sys.executable, "botocore", [tmp_path])
