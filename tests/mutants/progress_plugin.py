"""A pytest plugin that writes what runs and what failed, one JSON line each, as it happens.

The campaign reads it while the tests run, and after it had to end them. `RunOfTests` loads it.
"""

import json
import os
from pathlib import Path

import pytest

VARIABLE = "MUTANTS_PROGRESS"
"""The environment's name of the file to append to."""


def pytest_runtest_logstart(nodeid: str) -> None:
    """Write that a test begins."""
    _write(began=nodeid)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Write that a test failed, with the last line of why."""
    if report.failed:
        _write(failed=report.nodeid, error=report.longreprtext[-300:])


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Write that a file of tests cannot be imported."""
    if report.failed:
        _write(failed=report.nodeid, error=report.longreprtext[-300:])


def _write(**line: str) -> None:
    with Path(os.environ[VARIABLE]).open("a") as file:
        file.write(json.dumps(line) + "\n")
