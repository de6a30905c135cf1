"""Rows of docs/reference/viewers-and-tools.md: tools that run in Python."""

import json
import subprocess
from pathlib import Path

import pytest

from docs.build.viewers_page import READERS, ROWS, Row
from tests.integration.readers.documents import documents_for_tools

MINE = [row for row in ROWS if READERS[row.reader].runs_in == "Python"]
HERE = Path(__file__).parent
VALIDATORS = HERE.parents[2] / ".build/validators/bin/python"


@pytest.fixture(scope="module")
def seen() -> dict[str, str]:
    """What each row of these is about, by its name."""
    done = subprocess.run(
        [VALIDATORS, HERE / "read_in_python.py"],
        input=json.dumps(documents_for_tools()),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("row", MINE, ids=lambda row: row.name)
def test_a_tool_reads_us_as_its_row_says(seen: dict[str, str], row: Row) -> None:
    assert seen[row.name] == row.seen


def test_all_that_is_seen_has_a_row(seen: dict[str, str]) -> None:
    assert set(seen) == {row.name for row in MINE}
