"""Tests stand alone: what several of them need is in a module of its own, or in a conftest."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[2]
OF_A_TEST = re.compile(r"^\s*(?:from|import) tests\.(?:\w+\.)*test_\w+", re.MULTILINE)


def test_no_test_imports_another() -> None:
    files = list(TESTS.rglob("*.py"))
    assert len(files) > 300
    assert [
        str(file.relative_to(TESTS)) for file in files if OF_A_TEST.search(file.read_text())
    ] == []
