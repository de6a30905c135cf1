"""A test that hangs fails under its own name, and the worker goes on with the next."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import START_SECONDS
from tests.integration.containers.container_engine import BUILD_SECONDS
from tests.patience import SECONDS

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
CONFTEST = """
from tests.conftest import pytest_configure, pytest_configure_node, pytest_xdist_make_scheduler
"""
HANGING = """
import asyncio
import subprocess
import threading

import pytest

@pytest.fixture(scope="session")
def service():
    threading.Event().wait()

def test_waits_for_a_thread():
    threading.Event().wait()

async def test_waits_for_a_task():
    await asyncio.Event().wait()

def test_waits_for_a_process():
    subprocess.run(["sleep", "infinity"])

def test_waits_for_its_service(service):
    pass

def test_is_the_next():
    pass
"""


def test_a_test_that_hangs_fails_with_its_name_and_traceback(tmp_path: Path) -> None:
    """As `make test` runs tests, but for the limit."""
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_hanging.py").write_text(HANGING)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider", "-n", "1"),
            *("--dist", "loadfile", "-c", ROOT / "pyproject.toml", f"--rootdir={tmp_path}"),
            *("-o", "timeout=2", tmp_path),
        ],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    report = done.stdout
    for name in ("a_thread", "a_task", "a_process"):
        assert f"FAILED test_hanging.py::test_waits_for_{name} - Failed: Timeout" in report, report
    assert "ERROR test_hanging.py::test_waits_for_its_service - Failed: Timeout" in report
    assert '>       subprocess.run(["sleep", "infinity"])' in report, "where it hung"
    assert "PASSED test_hanging.py::test_is_the_next" in report
    assert "crashed" not in report


def test_the_limit_is_longer_than_what_tests_wait_for(pytestconfig: pytest.Config) -> None:
    assert float(pytestconfig.getini("timeout")) > BUILD_SECONDS + START_SECONDS
