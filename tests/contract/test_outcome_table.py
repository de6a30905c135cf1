"""What every OutcomeTable promises."""

from dataclasses import replace

import pytest

from vitrine.adapters.aws.outcome_table import DynamoOutcomeTable
from vitrine.ports import OutcomeTable
from vitrine.records import Outcome, State

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


def test_a_redrive_undoes_the_failure_it_names(outcomes: OutcomeTable) -> None:
    failed = replace(RUNNING, state="failed", execution="1" * 64)
    again = replace(RUNNING, execution="2" * 64, redrives="1" * 64)
    outcomes.record(failed)
    outcomes.record(again)
    assert outcomes.get(RUNNING.master_key) == again


@pytest.mark.parametrize(
    "current",
    [
        replace(PUBLISHED, execution="1" * 64),
        replace(RUNNING, state="failed", execution="3" * 64),
        replace(RUNNING, state="failed", execution=""),
    ],
)
def test_a_redrive_undoes_no_other_end(outcomes: OutcomeTable, current: Outcome) -> None:
    outcomes.record(current)
    outcomes.record(replace(RUNNING, execution="2" * 64, redrives="1" * 64))
    outcomes.record(replace(RUNNING, execution="2" * 64))
    assert outcomes.get(RUNNING.master_key) == current


def test_outcomes_are_counted_by_state_up_to_a_limit(outcomes: OutcomeTable) -> None:
    for number in range(25):
        outcomes.record(replace(PUBLISHED, master_key=f"{number}.tif"))
    outcomes.record(REJECTED)
    assert outcomes.count("published", 100) == 25
    assert outcomes.count("published", 10) == 10
    assert outcomes.count("rejected", 100) == 1
    assert outcomes.count("failed", 100) == 0


@pytest.mark.parametrize("end", ["failed", "rejected", "withdrawn", "running"])
def test_the_outcome_of_an_execution_is_replaced_by_the_one_that_makes_it_good(
    outcomes: OutcomeTable, end: State
) -> None:
    ended = replace(REJECTED, state=end)
    outcomes.record(ended)
    other = replace(RUNNING, execution="2" * 64, redrives="9" * 64)
    outcomes.record(other)
    assert (outcomes.get(RUNNING.master_key) == ended) is (end != "running")
    outcomes.record(ended)
    again = replace(RUNNING, execution="1" * 64, redrives=ended.execution)
    outcomes.record(again)
    assert outcomes.get(RUNNING.master_key) == again


def test_a_published_master_is_not_started_over(outcomes: OutcomeTable) -> None:
    outcomes.record(PUBLISHED)
    outcomes.record(replace(RUNNING, execution="1" * 64, redrives=PUBLISHED.execution))
    assert outcomes.get(RUNNING.master_key) == PUBLISHED


def test_many_outcomes_are_read_at_once(outcomes: OutcomeTable) -> None:
    keys = [f"{number}/ä.tif" for number in range(130)]
    for key in keys:
        outcomes.record(replace(RUNNING, master_key=key))
    found = outcomes.get_many([*keys, "nothing.tif", keys[0]])
    assert sorted(found) == sorted(keys)
    assert found[keys[9]] == replace(RUNNING, master_key=keys[9])


@pytest.mark.parametrize("state", ["running", "published", "rejected", "failed"])
def test_of_two_versions_of_one_second_the_first_stays_unless_it_is_known_to_be_older(
    outcomes: OutcomeTable, state: State
) -> None:
    outcomes.record(PUBLISHED)
    other = replace(RUNNING, master_version="v2", state=state)
    assert not outcomes.record(other)
    assert not outcomes.record(other, over="v0")
    assert not outcomes.record(other, over="v2")
    assert outcomes.get(RUNNING.master_key) == PUBLISHED
    assert outcomes.record(other, over="v1")
    assert outcomes.get(RUNNING.master_key) == other


def test_an_outcome_says_whether_it_was_kept(outcomes: OutcomeTable) -> None:
    assert outcomes.record(RUNNING)
    assert outcomes.record(PUBLISHED)
    assert not outcomes.record(RUNNING)
    assert not outcomes.record(replace(REJECTED, master_modified="2026-11-20T00:00:00.000Z"))
    assert not outcomes.record(RUNNING, over=RUNNING.master_version)


def test_a_dismissed_rejection_is_in_no_other_list_until_the_master_is_ingested_again(
    outcomes: OutcomeTable,
) -> None:
    outcomes.record(REJECTED)
    dismissed = replace(REJECTED, dismissed=True)
    assert outcomes.record(dismissed)
    assert outcomes.get(REJECTED.master_key) == dismissed
    assert (outcomes.by_state("rejected", 9), outcomes.count("rejected", 9)) == ([], 0)
    assert (outcomes.by_state("dismissed", 9), outcomes.count("dismissed", 9)) == ([dismissed], 1)
    newer = replace(REJECTED, master_version="v2", master_modified="2026-11-21T08:00:00.000Z")
    outcomes.record(newer)
    assert outcomes.by_state("rejected", 9) == [newer]
    assert outcomes.by_state("dismissed", 9) == []


def test_a_damaged_outcome_counts_as_none_and_spoils_no_other(outcomes: OutcomeTable) -> None:
    if not isinstance(outcomes, DynamoOutcomeTable):
        pytest.skip("memory has no items to damage")
    other = replace(PUBLISHED, master_key="other.tif")
    for outcome in (PUBLISHED, other):
        outcomes.record(outcome)
    outcomes._client.update_item(
        TableName=outcomes._table,
        Key={"master_key": {"S": PUBLISHED.master_key}},
        UpdateExpression="REMOVE identifier",
    )
    assert outcomes.get(PUBLISHED.master_key) is None
    assert outcomes.get_many([PUBLISHED.master_key, "other.tif"]) == {"other.tif": other}
    assert outcomes.by_state("published", 9) == [other]
    assert outcomes.record(PUBLISHED)
    assert outcomes.get(PUBLISHED.master_key) == PUBLISHED
