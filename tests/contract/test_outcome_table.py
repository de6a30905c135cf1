"""What every OutcomeTable promises."""

from dataclasses import replace

import pytest

from vitrine.ingest.outcome import Outcome, State
from vitrine.ports import OutcomeTable

RUNNING = Outcome(
    master_key="a/nachtwache.tif",
    master_version="v1",
    master_modified="2026-11-21T07:00:00.000Z",
    identifier="nachtwache",
    state="running",
    changed_at="2026-11-21T07:00:01.000Z",
    execution="0" * 64,
)
REJECTED = replace(
    RUNNING,
    state="rejected",
    changed_at="2026-11-21T07:00:02.000Z",
    code="not-an-image",
    sentence="The file is not an image.",
    value="hello",
)

PUBLISHED = replace(
    RUNNING,
    state="published",
    changed_at="2026-11-21T07:00:02.000Z",
    notes=("Only the first picture of the animation is converted.", "Tag 270 was left out."),
)


def test_an_unheard_master_has_no_outcome(outcomes: OutcomeTable) -> None:
    assert outcomes.get("nothing.tif") is None


def test_the_latest_outcome_reads_back_equal(outcomes: OutcomeTable) -> None:
    outcomes.record(RUNNING)
    outcomes.record(REJECTED)
    assert outcomes.get(RUNNING.master_key) == REJECTED


def test_notes_read_back_in_their_order(outcomes: OutcomeTable) -> None:
    outcomes.record(PUBLISHED)
    assert outcomes.get(RUNNING.master_key) == PUBLISHED
    assert outcomes.by_state("published", 1) == [PUBLISHED]


@pytest.mark.parametrize("end", ["published", "rejected", "failed"])
def test_a_repeated_start_does_not_undo_the_end(outcomes: OutcomeTable, end: State) -> None:
    ended = replace(REJECTED, state=end)
    outcomes.record(ended)
    outcomes.record(replace(RUNNING, changed_at="2026-11-21T09:00:00.000Z"))
    assert outcomes.get(RUNNING.master_key) == ended


def test_a_newer_master_starts_over(outcomes: OutcomeTable) -> None:
    outcomes.record(REJECTED)
    newer = replace(RUNNING, master_version="v2", master_modified="2026-11-21T08:00:00.000Z")
    outcomes.record(newer)
    assert outcomes.get(RUNNING.master_key) == newer


def test_an_older_master_changes_nothing(outcomes: OutcomeTable) -> None:
    outcomes.record(RUNNING)
    outcomes.record(
        replace(REJECTED, master_version="v0", master_modified="2026-11-20T00:00:00.000Z")
    )
    assert outcomes.get(RUNNING.master_key) == RUNNING


def test_outcomes_are_listed_by_state_newest_first(outcomes: OutcomeTable) -> None:
    for number in range(12):
        outcomes.record(
            replace(
                REJECTED,
                master_key=f"{number}.tif",
                state="rejected" if number % 2 else "failed",
                changed_at=f"2026-11-21T07:00:{number:02}.000Z",
            )
        )
    rejected = [outcome.master_key for outcome in outcomes.by_state("rejected", 3)]
    assert rejected == ["11.tif", "9.tif", "7.tif"]
    assert len(outcomes.by_state("failed", 100)) == 6
    assert outcomes.by_state("running", 100) == []
