"""A table, a bucket, an environment is lost, and every item comes back as it was."""

from typing import Any

import pytest

from loadtest.drills.disaster.disaster_drill import broken_promises, measure_losses
from loadtest.drills.disaster.disaster_report import REPORT
from tests.unit.loadtest.shown_report import text_of

MASTERS = 10


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return measure_losses(MASTERS, tmp_path_factory.mktemp("disaster"), print)


def test_everything_comes_back_as_it_was(figures: dict[str, Any]) -> None:
    assert broken_promises(figures) == [], text_of(REPORT, figures)


def test_something_was_lost_each_time(figures: dict[str, Any]) -> None:
    identifiers, access_masters, environment = figures["losses"]
    # One image is withdrawn, one renamed.
    assert identifiers["done"]["written"] == MASTERS + 1
    assert access_masters["done"]["deleted"] >= MASTERS
    assert access_masters["done"]["restarted"] == MASTERS - 1
    assert environment["done"]["masters"] == MASTERS
    assert environment["done"]["identifiers"] == MASTERS + 1
    assert environment["done"]["objects"] == MASTERS // 5
    assert figures["items"]["answers"] > 2 * MASTERS
