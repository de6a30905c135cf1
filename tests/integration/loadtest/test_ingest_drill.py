"""A small drill: duplicated and late events, faults, killed Lambdas, a killed emulator."""

import os
import re
from pathlib import Path
from typing import Any

import pytest

from loadtest.drills.ingest.drill_options import DrillOptions
from loadtest.drills.ingest.drill_report import REPORT
from loadtest.drills.ingest.ingest_drill import broken_promises, measure_ingest
from tests.unit.loadtest.shown_report import text_of
from vitrine.bootstrap.local_service import DIRECTORY_VARIABLE

SMALL = DrillOptions(
    masters=8,
    fault_percent=4,
    event_percent=25,
    latest_seconds=3,
    kills=2,
    kills_until=0.3,
    outage_seconds=0,
    hidden_seconds=20,
)


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return measure_ingest(SMALL, tmp_path_factory.mktemp("drill") / "service", print)


def test_nothing_is_lost_and_nothing_wrong_is_published(figures: dict[str, Any]) -> None:
    assert broken_promises(figures) == [], text_of(REPORT, figures)
    checked = [promise["checked"] for promise in figures["at the end"]["promises"]]
    assert figures["at the end"]["promises"][0]["checked"] == SMALL.masters + 1
    assert sum(checked) > 4 * SMALL.masters


def test_the_service_had_its_troubles(figures: dict[str, Any]) -> None:
    assert figures["calls"]["faults"]
    assert figures["calls"]["calls"].keys() == {"s3", "dynamodb"}
    assert figures["events"]["twice"] + figures["events"]["late"] > 0
    assert sum(figures["lambdas_killed"].values()) == SMALL.kills
    assert [item["trouble"] for item in figures["disruptions"]] == ["the emulator is killed"]


def test_it_leaves_nothing_behind(figures: dict[str, Any], tmp_path_factory: Any) -> None:
    folder = Path(tmp_path_factory.getbasetemp())
    assert not list(folder.glob("drill*/service"))
    assert DIRECTORY_VARIABLE not in os.environ


def test_the_table_says_all_of_it(figures: dict[str, Any]) -> None:
    text = text_of(REPORT, figures)
    assert re.search(r"^Lambdas killed +2$", text, re.MULTILINE)
    assert "every master is accounted for" in text
    assert "the emulator is killed" in text
