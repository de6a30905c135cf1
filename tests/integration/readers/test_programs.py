"""Rows of docs/reference/viewers-and-tools.md: tools that run in Node and in Python."""

import json
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from docs.build.viewers_page import READERS, ROWS, Row
from tests.integration.readers.documents import documents_for_tools
from tests.locked_packages import install_packages

HERE = Path(__file__).parent
VALIDATORS = HERE.parents[2] / ".build/validators/bin/python"
COMMANDS: dict[str, Callable[[], list[str | Path]]] = {
    "Node": lambda: ["node", HERE / "read_in_node.mjs", install_packages(HERE)],
    "Python": lambda: [VALIDATORS, HERE / "read_in_python.py"],
}
MINE = [row for row in ROWS if READERS[row.reader].runs_in in COMMANDS]


@cache
def read_documents(language: str) -> dict[str, str]:
    """Return what each row of the tools in a language is about, by its name."""
    done = subprocess.run(
        COMMANDS[language](),
        input=json.dumps(documents_for_tools()),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("row", MINE, ids=lambda row: row.name)
def test_a_tool_reads_us_as_its_row_says(row: Row) -> None:
    assert read_documents(READERS[row.reader].runs_in)[row.name] == row.seen


@pytest.mark.parametrize("language", COMMANDS)
def test_all_that_is_seen_has_a_row(language: str) -> None:
    names = {row.name for row in MINE if READERS[row.reader].runs_in == language}
    assert set(read_documents(language)) == names
