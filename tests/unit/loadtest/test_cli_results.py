"""A measurement leaves the checkout clean."""

import subprocess

from loadtest.cli.options import RESULTS
from vitrine.bootstrap.local_service import REPOSITORY


def test_runs_are_written_where_git_ignores_them() -> None:
    run = RESULTS / "2026-11-22-report" / "run.json"
    ignored = subprocess.run(["git", "check-ignore", "-q", str(run)], cwd=REPOSITORY)
    assert ignored.returncode == 0
