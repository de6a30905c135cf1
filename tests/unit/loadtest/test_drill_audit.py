"""How the audit tells a master that is accounted for from one that is lost."""

from typing import Any

import pytest

from loadtest.drills.ingest.drill_audit import AuditedState, End, find_end
from loadtest.drills.ingest.drill_ledger import KeyHistory
from loadtest.drills.ingest.drill_masters import Master, make_broken, make_picture
from vitrine.records import Gone, Live, Outcome, Record

KEY, NAME, MOMENT = "a/one.tif", "one", "2026-11-21T00:00:00.000Z"
OLD, NEW = make_picture(1), make_picture(2)


def outcome(state: Any, version: str = "v2", code: str = "", sentence: str = "") -> Outcome:
    return Outcome(
        master_key=KEY,
        master_version=version,
        master_modified=MOMENT,
        identifier=NAME,
        state=state,
        changed_at=MOMENT,
        code=code,
        sentence=sentence,
    )


def live(version: str = "v2") -> Live:
    return Live(
        identifier=NAME,
        version="x",
        access_master_key="ab/one/x.tif",
        access_master_bytes=1,
        width=1,
        height=1,
        tile_width=256,
        tile_height=256,
        levels=((1, 1),),
        master_key=KEY,
        master_version=version,
        master_modified=MOMENT,
        published_at=MOMENT,
    )


GONE = Gone(identifier=NAME, reason="The master was deleted.", changed_at=MOMENT)
REJECTED = outcome("rejected", code="empty-file", sentence="The file is empty.")
DELETED = outcome("rejected", code="master-deleted", sentence="It was deleted.")


@pytest.mark.parametrize(
    ("masters", "outcome", "record", "expected"),
    [
        ([OLD, NEW], outcome("published"), live(), End.PUBLISHED),
        ([OLD, NEW], outcome("published"), live("v1"), End.LOST),
        ([OLD, NEW], outcome("published", "v1"), live("v1"), End.LOST),
        ([OLD, NEW], outcome("published"), None, End.LOST),
        ([OLD, NEW], outcome("running"), live("v1"), End.LOST),
        ([OLD, NEW], outcome("failed"), None, End.LOST),
        ([OLD, NEW], None, None, End.LOST),
        ([OLD, NEW], REJECTED, None, End.LOST),
        ([make_broken(0)], REJECTED, None, End.REJECTED),
        ([make_broken(0)], outcome("rejected"), None, End.LOST),
        ([OLD, make_broken(0)], REJECTED, live("v1"), End.REJECTED),
        ([OLD, None], outcome("withdrawn", "v1"), GONE, End.WITHDRAWN),
        ([OLD, None], outcome("published", "v1"), live("v1"), End.LOST),
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
