"""Each run book is followed by a test, or says in the README why it cannot be made real here."""

import re
from pathlib import Path

from docs.build.saved_runs import ROOT

RUNBOOKS = ROOT / "docs" / "runbooks"
README = (RUNBOOKS / "README.md").read_text()
LINK = re.compile(r"^\| \[[^]]+\]\(([a-z0-9-]+)\.md\) \|", re.MULTILINE)
INDEX, NOT_REAL = README.split("## What was followed")
PAGES = {path.stem for path in RUNBOOKS.glob("*.md")} - {"README"}


def followed() -> set[str]:
    """Return the pages whose commands a test types."""
    tests: list[Path] = sorted((ROOT / "tests" / "integration").rglob("test_*.py"))
    found = (re.findall(r"\bfollowing\(\s*\"([a-z0-9-]+)\"", test.read_text()) for test in tests)
    return {page for pages in found for page in pages}


def test_every_run_book_is_followed_or_says_why_its_fault_cannot_be_made_real() -> None:
    missing = PAGES - followed() - set(LINK.findall(NOT_REAL))
    assert not missing, f"follow {missing}, or add a row to docs/runbooks/README.md"
    assert followed() <= PAGES


def test_the_index_lists_every_run_book() -> None:
    assert set(LINK.findall(INDEX)) == PAGES


def test_each_row_of_what_cannot_be_made_real_says_why_and_what_was_done() -> None:
    rows = [line for line in NOT_REAL.splitlines() if line.startswith("| [")]
    assert rows
    for line in rows:
        _, _, why, done, _ = (cell.strip() for cell in line.split("|"))
        assert why, line
        assert done, line
