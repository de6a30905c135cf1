"""The restart drill: deployments, interruptions and killed processes cost no request, no byte."""

from dataclasses import replace
from pathlib import Path

import pytest

from loadtest.drills.restarts import restart_drill
from loadtest.drills.restarts.restart_drill import RestartOptions, broken_promises, measure_restarts
from loadtest.drills.restarts.restart_report import REPORT
from tests.unit.loadtest.shown_report import page_of, text_of
from vitrine.bootstrap.local_service import REPOSITORY

SCRATCH = REPOSITORY / ".build/studies"
"""Folder of the command: the picture is made once."""


ONCE = RestartOptions(seconds=1, every_seconds=1.5, clients=3, think_seconds=0.05)
"""Each kind of restart, however slow the machine is."""


def test_no_request_fails_and_no_byte_is_wrong_while_all_is_restarted() -> None:
    """Each part of a task, and what plays S3 and DynamoDB."""
    said: list[str] = []
    figures = measure_restarts(replace(ONCE, emulator=True), SCRATCH, said.append)
    assert broken_promises(figures) == []
    events = [event["what"] for event in figures["events"]]
    assert set(events) == {
        "task replaced",
        "gateway process killed",
        "task interrupted",
        "iipsrv process killed",
        "emulator restarted",
    }
    assert events.count("emulator restarted") == 1
    assert figures["requests"] > 100
    assert "task interrupted" in text_of(REPORT, figures)
    assert page_of(REPORT, figures).count("<svg") == 2
    assert len([line for line in said if "failed so far" in line]) == len(figures["events"])


def test_a_task_that_stops_at_once_on_sigterm_fails_requests(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(restart_drill, "DRAINED_SECONDS", 0)
    figures = measure_restarts(ONCE, SCRATCH, lambda line: None)
    assert figures["failed"] > 0
    assert any("requests failed" in sentence for sentence in broken_promises(figures))
