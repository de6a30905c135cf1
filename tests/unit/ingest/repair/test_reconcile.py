"""The reconciler: masters that no event named are found, and what is right is left alone."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.unit.ingest.followed_masters import KEY, FollowedMasters
from tests.unit.ingest.walked import LATER, reconciler, walk_at
from vitrine.errors import Rejection
from vitrine.ingest.record_outcome import record_outcome
from vitrine.ingest.repair.reconciler import walk_through
from vitrine.records import State


def test_a_master_without_an_event_is_ingested(followed: FollowedMasters) -> None:
    followed.upload()
    assert walk_at(followed) == {"masters": 1, "started": 1}
    followed.run()
    assert followed.answer() == "live"


def test_a_second_walk_finds_nothing_to_do(followed: FollowedMasters) -> None:
    followed.upload(key="a.tif")
    followed.upload(key="b.tif")
    followed.publish_one(key="c.tif")
    followed.masters.delete("c.tif")
    assert walk_at(followed) == {"masters": 2, "started": 2, "withdrawing": 1, "access_masters": 1}
    assert walk_at(followed) == {"masters": 2, "access_masters": 1}
    followed.run()
    followed.grace_ends()
    for moment in (None, LATER):
        assert walk_at(followed, moment) == {"masters": 2, "access_masters": 3}


def test_a_newer_version_without_an_event_is_ingested(followed: FollowedMasters) -> None:
    old = followed.publish_one(b"1")
    followed.upload(b"2")
    assert walk_at(followed) == {"masters": 1, "started": 1, "access_masters": 1}
    followed.run()
    assert followed.superseded() == {old.access_master_key}


def test_an_ingest_that_never_ended_is_started_again(followed: FollowedMasters) -> None:
    followed.upload()
    followed.event()
    [lost] = followed.started()
    followed.ran.add(lost.execution)
    assert walk_at(followed) == {"masters": 1}
    assert walk_at(followed, LATER) == {"masters": 1, "restarted": 1}
    followed.run()
    assert (followed.answer(), followed.state()) == ("live", "published")


def test_an_ingest_that_never_ends_is_started_again_and_again(followed: FollowedMasters) -> None:
    followed.upload()
    followed.event()
    for days in range(1, 5):
        for request in followed.started():
            followed.ran.add(request.execution)
        assert walk_at(followed, LATER + timedelta(days=days)) == {"masters": 1, "restarted": 1}
        [request] = followed.started()


@pytest.mark.parametrize("end", ["rejected", "failed"])
def test_a_master_that_was_refused_or_failed_is_left_to_people(
    followed: FollowedMasters, end: State
) -> None:
    followed.upload()
    followed.event()
    [request] = followed.started()
    followed.ran.add(request.execution)
    record_outcome(followed.services, request, end, Rejection("not-an-image", "No."))
    assert walk_at(followed, LATER) == {"masters": 1}


def test_a_master_that_was_restored_unnoticed_is_started_again(followed: FollowedMasters) -> None:
    followed.publish_one()
    followed.masters.delete(KEY)
    followed.event()
    followed.grace_ends()
    followed.masters.restore(KEY)
    assert walk_at(followed)["restarted"] == 1
    followed.run()
    assert (followed.answer(), followed.state()) == ("live", "published")


def test_a_deletion_without_an_event_is_followed(followed: FollowedMasters) -> None:
    followed.publish_one()
    followed.masters.delete(KEY)
    assert walk_at(followed)["withdrawing"] == 1
    followed.grace_ends()
    assert (followed.answer(), followed.state()) == ("gone", "withdrawn")
    assert walk_at(followed) == {"access_masters": 1}


def test_a_withdrawal_that_failed_is_tried_again_once_a_day(followed: FollowedMasters) -> None:
    followed.publish_one()
    followed.masters.delete(KEY)
    followed.event()
    [failed] = followed.withdrawing()
    followed.ran.add(failed.execution)
    assert "withdrawing" not in walk_at(followed)
    assert walk_at(followed, LATER)["withdrawing"] == 1
    assert "withdrawing" not in walk_at(followed, LATER)
    assert walk_at(followed, LATER + timedelta(days=1))["withdrawing"] == 1
    followed.grace_ends()
    assert followed.answer() == "gone"


def test_an_ingest_that_a_restart_cut_short_is_started_again(followed: FollowedMasters) -> None:
    """However often: earlier executions are known by name, and do not run."""
    followed.publish_one(key="a.tif")
    followed.upload(key="b.tif")
    followed.event("b.tif")
    followed.masters.delete("a.tif")
    followed.event("a.tif")
    services = reconciler(followed)
    for days in (1, 2):
        restarted = services.rules_after_a_restart(datetime.now(UTC) + timedelta(days=days))
        counts = walk_through(services, restarted, wait=lambda: False)
        assert (counts["restarted"], counts["withdrawing"]) == (1, 1)
    followed.run()
    assert set(followed.grace_ends()) == {"withdrawn"}
    assert (followed.answer("a"), followed.answer("b")) == ("gone", "live")


def test_a_master_of_which_nothing_is_left_is_missed(followed: FollowedMasters) -> None:
    """Every version was deleted: no listing tells of it."""
    followed.publish_one()
    followed.masters.purge(KEY)
    assert walk_at(followed) == {"access_masters": 1, "withdrawing": 1}
    followed.grace_ends()
    assert followed.answer() == "gone"


def test_each_image_is_looked_at_closely_once_a_month(followed: FollowedMasters) -> None:
    services = reconciler(followed)
    days = [services.rules(LATER + timedelta(days=day), rotate=True) for day in range(30)]
    for name in ("nachtwache", "SK-C-5", "日本"):
        assert sum(rules.checks_closely(name) for rules in days) == 1


def test_folders_and_strange_keys_are_no_trouble(followed: FollowedMasters) -> None:
    followed.upload(b"", "folder/")
    followed.services.access_masters.put("readme.txt", b"1", content_type="")
    assert walk_at(followed) == {"masters": 1}
    assert followed.started() == []
