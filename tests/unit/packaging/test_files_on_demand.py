"""A worker imports a file of tests when it is given it, and what it says reaches the report."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
CONFTEST = """
from tests import files_on_demand

def pytest_configure(config):
    files_on_demand.configure(config)

def pytest_configure_node(node):
    files_on_demand.prepare_worker(node)

def pytest_xdist_make_scheduler(config, log):
    return files_on_demand.make_scheduler(config, log)
"""
NOTES = """
from pathlib import Path

Path(__file__).with_suffix(".imported").write_text("")
"""
FILES = {
    "test_first.py": "def test_passes(): pass",
    "test_second.py": "def test_fails(): assert False\ndef test_passes_too(): pass",
    "test_broken.py": "import what_is_not_there",
    "test_skipped.py": "import pytest\npytest.skip('not here', allow_module_level=True)",
    "test_left_out.py": "import pytest\n@pytest.mark.slow\ndef test_is_slow(): pass",
    "test_torn_down.py": (
        "import pytest\n@pytest.fixture(scope='session')\ndef lasting():\n    yield\n"
        "    raise RuntimeError('torn down')\ndef test_asks_for_it(lasting): pass"
    ),
}


def run(folder: Path, *options: str) -> str:
    """Return what pytest prints about the files in the folder, run by workers of xdist."""
    return subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider"),
            *("-n", "2", "--dist", "loadfile", "-o", "markers=slow"),
            *("--import-mode=importlib", f"--rootdir={folder}", *options, "."),
        ],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    ).stdout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    for name, text in FILES.items():
        (tmp_path / name).write_text(NOTES + text)
    return tmp_path


def test_every_test_error_and_skip_of_every_file_is_reported(folder: Path) -> None:
    printed = run(folder, "-m", "not slow")
    assert "1 failed, 3 passed, 1 skipped, 2 errors" in printed
    assert "FAILED test_second.py::test_fails" in printed
    assert "ERROR test_broken.py" in printed
    assert "ERROR test_torn_down.py::test_asks_for_it" in printed
    assert "SKIPPED [1] test_skipped.py" in printed
    assert "test_is_slow" not in printed


def test_a_name_that_is_asked_for_is_found_in_its_file(folder: Path) -> None:
    (folder / "test_broken.py").unlink()
    assert "1 passed, 1 skipped" in run(folder, "-k", "test_passes_too")


def test_a_worker_imports_no_file_that_is_not_its_own(folder: Path) -> None:
    (folder / "test_first.py").write_text(
        NOTES + "def test_is_first():\n"
        "    found = {path.stem for path in Path(__file__).parent.glob('*.imported')}\n"
        "    assert 'test_last' not in found, found\n"
    )
    (folder / "test_last.py").write_text(NOTES + "def test_is_last(): pass")
    printed = run(folder, "--no-loadscope-reorder", "test_first.py", "test_last.py", "-n", "1")
    assert "test_first.py::test_is_first" in printed
    assert "FAILED test_first.py" not in printed
