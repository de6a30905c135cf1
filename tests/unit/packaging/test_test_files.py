"""Tests stand alone: what several of them need is in a module of its own, or in a conftest."""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parents[2]
SERVICE = re.compile(r"\bservice: (?:\"Service\"|Any\b)|getfixturevalue\(\"service\"\)|open_page: ")
"""In a test that asks for the service of the session, or for a page in a browser that shows it."""
OF_A_TEST = re.compile(r"^\s*(?:from|import) tests\.(?:\w+\.)*test_\w+", re.MULTILINE)


def test_no_test_imports_another() -> None:
    files = list(TESTS.rglob("*.py"))
    assert len(files) > 300
    assert [
        str(file.relative_to(TESTS)) for file in files if OF_A_TEST.search(file.read_text())
    ] == []


def test_tests_that_ask_for_the_service_go_to_a_worker_that_has_it() -> None:
    sharing = ast.parse((TESTS / "files_on_demand.py").read_text())
    shared = {
        text.value
        for node in ast.walk(sharing)
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "SHARING"
        for text in ast.walk(node.value)
        if isinstance(text, ast.Constant)
    }
    asking = [
        file.relative_to(TESTS.parent).as_posix()
        for folder in ("integration", "e2e", "contract")
        for file in (TESTS / folder).rglob("test_*.py")
        if SERVICE.search(file.read_text())
    ]
    assert len(asking) > 5
    assert [name for name in asking if not name.startswith(tuple(shared))] == []
