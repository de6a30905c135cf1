"""What the readiness page says, of what ends the service and of what it does without."""

import json
import logging

import pytest

from vitrine.deliver.http.faults import Faults
from vitrine.deliver.http.health import Readiness
from vitrine.deliver.http.logs import JsonLines


async def well() -> None:
    return


async def test_a_service_that_does_with_less_is_ready_and_says_what_it_lacks() -> None:
    faults = Faults()
    faults.report("block-cache-unwritable", "It cannot be written.")
    readiness = Readiness(
        {"identifiers": well},
        {"block_cache": lambda: "cannot be written", "derivative_cache": lambda: ""},
        faults.counts,
    )
    answer = await readiness.respond()
    assert answer.status == 200
    assert json.loads(answer.body) == {
        "status": 200,
        "checks": {"identifiers": "ok"},
        "notices": {"block_cache": "cannot be written", "derivative_cache": "ok"},
        "faults": {"block-cache-unwritable": 1},
    }


def test_a_trouble_is_a_line_with_fields_that_an_alarm_counts(
    caplog: pytest.LogCaptureFixture,
) -> None:
    now = 0.0
    faults = Faults(lambda: now)
    with caplog.at_level(logging.ERROR):
        for _ in range(5):
            faults.report("identifier-lost", "A record is missing.")
        now = 1.0
        faults.report("identifier-lost", "A record is missing.")
    lines = [json.loads(JsonLines().format(record)) for record in caplog.records]
    assert [(line["event"], line["count"]) for line in lines] == [
        ("identifier-lost", 1),
        ("identifier-lost", 5),
    ]
    assert faults.counts() == {"identifier-lost": 6}
