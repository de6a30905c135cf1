"""The reconciler: masters that no event told of are found, and what is right is left alone."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.unit.ingest.followed_masters import KEY, FollowedMasters
from tests.unit.ingest.walked import LATER, reconciler, walk_at
from vitrine.errors import Rejection
from vitrine.ingest.record_outcome import record_outcome
from vitrine.ingest.repair.reconciler import walk_through
from vitrine.ingest.services import IngestServices
from vitrine.records import State


@pytest.fixture
def bed(services: IngestServices) -> FollowedMasters:
    return FollowedMasters(services)


def test_a_master_that_no_event_told_of_is_ingested(bed: FollowedMasters) -> None:
    bed.upload()
    assert walk_at(bed) == {"masters": 1, "started": 1}
    bed.run()
    assert bed.answer() == "live"


def test_a_second_walk_finds_nothing_to_do(bed: FollowedMasters) -> None:
    bed.upload(key="a.tif")
    bed.upload(key="b.tif")
    bed.publish_one(key="c.tif")
    bed.masters.delete("c.tif")
    assert walk_at(bed) == {"masters": 2, "started": 2, "withdrawing": 1, "access_masters": 1}
    assert walk_at(bed) == {"masters": 2, "access_masters": 1}
    bed.run()
    bed.grace_ends()
    for moment in (None, LATER):
        assert walk_at(bed, moment) == {"masters": 2, "access_masters": 3}


def test_a_newer_version_that_no_event_told_of_is_ingested(bed: FollowedMasters) -> None:
    old = bed.publish_one(b"1")
    bed.upload(b"2")
    assert walk_at(bed) == {"masters": 1, "started": 1, "access_masters": 1}
    bed.run()
    assert bed.superseded() == {old.access_master_key}


def test_an_ingest_that_never_ended_is_started_again(bed: FollowedMasters) -> None:
    bed.upload()
    bed.event()
    [lost] = bed.started()
    bed.ran.add(lost.execution)
    assert walk_at(bed) == {"masters": 1}
    assert walk_at(bed, LATER) == {"masters": 1, "restarted": 1}
    bed.run()
    assert (bed.answer(), bed.state()) == ("live", "published")


def test_an_ingest_that_never_ends_is_started_again_and_again(bed: FollowedMasters) -> None:
    bed.upload()
    bed.event()
    for days in range(1, 5):
        for request in bed.started():
            bed.ran.add(request.execution)
        assert walk_at(bed, LATER + timedelta(days=days)) == {"masters": 1, "restarted": 1}
        [request] = bed.started()


@pytest.mark.parametrize("end", ["rejected", "failed"])
def test_a_master_that_was_refused_or_failed_is_left_to_people(
    bed: FollowedMasters, end: State
) -> None:
    bed.upload()
    bed.event()
    [request] = bed.started()
    bed.ran.add(request.execution)
    record_outcome(bed.services, request, end, Rejection("not-an-image", "No."))
    assert walk_at(bed, LATER) == {"masters": 1}


def test_a_master_that_was_restored_unnoticed_is_begun_anew(bed: FollowedMasters) -> None:
    bed.publish_one()
    bed.masters.delete(KEY)
    bed.event()
    bed.grace_ends()
    bed.masters.restore(KEY)
    assert walk_at(bed)["restarted"] == 1
    bed.run()
    assert (bed.answer(), bed.state()) == ("live", "published")


def test_a_deletion_that_no_event_told_of_is_followed(bed: FollowedMasters) -> None:
    bed.publish_one()
    bed.masters.delete(KEY)
    assert walk_at(bed)["withdrawing"] == 1
    bed.grace_ends()
    assert (bed.answer(), bed.state()) == ("gone", "withdrawn")
    assert walk_at(bed) == {"access_masters": 1}


def test_a_withdrawal_that_failed_is_tried_anew_once_a_day(bed: FollowedMasters) -> None:
    bed.publish_one()
    bed.masters.delete(KEY)
    bed.event()
    [failed] = bed.withdrawing()
    bed.ran.add(failed.execution)
    assert "withdrawing" not in walk_at(bed)
    assert walk_at(bed, LATER)["withdrawing"] == 1
    assert "withdrawing" not in walk_at(bed, LATER)
    assert walk_at(bed, LATER + timedelta(days=1))["withdrawing"] == 1
    bed.grace_ends()
    assert bed.answer() == "gone"


def test_what_a_restart_cut_short_is_begun_anew(bed: FollowedMasters) -> None:
    """However often: the executions of before are known by name, and do not run."""
    bed.publish_one(key="a.tif")
    bed.upload(key="b.tif")
    bed.event("b.tif")
    bed.masters.delete("a.tif")
    bed.event("a.tif")
    services = reconciler(bed)
    for days in (1, 2):
        restarted = services.rules_after_a_restart(datetime.now(UTC) + timedelta(days=days))
        counts = walk_through(services, restarted, wait=lambda: False)
        assert (counts["restarted"], counts["withdrawing"]) == (1, 1)
    bed.run()
    assert set(bed.grace_ends()) == {"withdrawn"}
    assert (bed.answer("a"), bed.answer("b")) == ("gone", "live")


def test_a_master_of_which_nothing_is_left_is_missed(bed: FollowedMasters) -> None:
    """Every version was deleted: no listing tells of it."""
    bed.publish_one()
    bed.masters.purge(KEY)
    assert walk_at(bed) == {"access_masters": 1, "withdrawing": 1}
    bed.grace_ends()
    assert bed.answer() == "gone"


def test_each_image_is_looked_at_closely_once_a_month(bed: FollowedMasters) -> None:
    services = reconciler(bed)
    days = [services.rules(LATER + timedelta(days=day), rotate=True) for day in range(30)]
    for name in ("nachtwache", "SK-C-5", "日本"):
        assert sum(rules.checks_closely(name) for rules in days) == 1


def test_folders_and_strange_keys_are_no_trouble(bed: FollowedMasters) -> None:
    bed.upload(b"", "folder/")
    bed.services.access_masters.put("readme.txt", b"1", content_type="")
    assert walk_at(bed) == {"masters": 1}
    assert bed.started() == []
