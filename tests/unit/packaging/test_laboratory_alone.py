"""Tests of the product import nothing of the laboratory: what both start is in `rigs`."""

import re

from vitrine.bootstrap.local_service import REPOSITORY

TESTS = REPOSITORY / "tests"
OWN = (
    *("unit/loadtest/", "integration/loadtest/", "unit/capacity/", "integration/capacity/"),
    *("infrastructure/test_loadtest_promises.py", "infrastructure/test_capacity_promises.py"),
    *("infrastructure/test_plan_prices.py",),
)
OF_THE_LABORATORY = re.compile(r"^\s*(?:from|import) (?:loadtest|capacity)\b", re.MULTILINE)


def test_only_tests_of_the_laboratory_import_it() -> None:
    importing = {
        path.relative_to(TESTS).as_posix()
        for path in TESTS.rglob("*.py")
        if OF_THE_LABORATORY.search(path.read_text())
    }
    assert len(importing) > 30
    assert {name for name in importing if not name.startswith(OWN)} == set()
