"""How the audit tells a master that is accounted for from one that is lost."""

from dataclasses import replace
from typing import Any

import pytest

from loadtest.drills.ingest.drill_audit import AuditedState, End, find_end
from loadtest.drills.ingest.drill_ledger import KeyHistory
from loadtest.drills.ingest.drill_masters import Master, make_broken, make_picture
from tests.rigs import records
from vitrine.records import Gone, Outcome, Record

KEY, NAME, MOMENT = "a/one.tif", "one", "2026-11-21T00:00:00.000Z"
OLD, NEW = make_picture(1), make_picture(2)


def outcome(state: Any, version: str = "v2", code: str = "", sentence: str = "") -> Outcome:
    text = {"code": code, "sentence": sentence, "master_version": version}
    return records.outcome(KEY, state, identifier=NAME, **text)


LIVE = records.live(NAME, master_key=KEY, master_version="v2")
OLDER = replace(LIVE, master_version="v1")
GONE = Gone(identifier=NAME, reason="The master was deleted.", changed_at=MOMENT)
REJECTED = outcome("rejected", code="empty-file", sentence="The file is empty.")
DELETED = outcome("rejected", code="master-deleted", sentence="It was deleted.")


@pytest.mark.parametrize(
    ("masters", "outcome", "record", "expected"),
    [
        ([OLD, NEW], outcome("published"), LIVE, End.PUBLISHED),
        ([OLD, NEW], outcome("published"), OLDER, End.LOST),
        ([OLD, NEW], outcome("published", "v1"), OLDER, End.LOST),
        ([OLD, NEW], outcome("published"), None, End.LOST),
        ([OLD, NEW], outcome("running"), OLDER, End.LOST),
        ([OLD, NEW], outcome("failed"), None, End.LOST),
        ([OLD, NEW], None, None, End.LOST),
        ([OLD, NEW], REJECTED, None, End.LOST),
        ([make_broken(0)], REJECTED, None, End.REJECTED),
        ([make_broken(0)], outcome("rejected"), None, End.LOST),
        ([OLD, make_broken(0)], REJECTED, OLDER, End.REJECTED),
        ([OLD, None], outcome("withdrawn", "v1"), GONE, End.WITHDRAWN),
        ([OLD, None], outcome("published", "v1"), OLDER, End.LOST),
        ([OLD, None], outcome("published", "v1"), GONE, End.LOST),
        ([OLD, None], None, None, End.NOTHING),
        ([OLD, None], DELETED, None, End.NOTHING),
    ],
)
def test_what_became_of_a_master(
    masters: list[Master], outcome: Outcome | None, record: Record | None, expected: End
) -> None:
    assert find_end(_found(outcome, record), KeyHistory(KEY, masters)) is expected


def test_what_is_on_the_list_of_failures_is_accounted_for() -> None:
    found = _found(outcome("failed"), None, failed=frozenset({KEY}))
    assert find_end(found, KeyHistory(KEY, [OLD])) is End.FAILED


def test_of_a_folder_nothing_may_come() -> None:
    folder = KeyHistory("folder/", [make_broken(2)])
    assert find_end(_found(None, None), folder) is End.FOLDER
    found = AuditedState(outcomes={"folder/": REJECTED}, records={}, newest={}, failed=frozenset())
    assert find_end(found, folder) is End.LOST


def _found(
    outcome: Outcome | None, record: Record | None, failed: frozenset[str] = frozenset()
) -> AuditedState:
    return AuditedState(
        outcomes={KEY: outcome} if outcome else {},
        records={NAME: record} if record else {},
        newest={KEY: "v2"},
        failed=failed,
    )
