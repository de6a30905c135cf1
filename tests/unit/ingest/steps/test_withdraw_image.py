"""Deletions and restores: whatever comes twice, late or not at all, the store is right."""

import itertools
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.unit.ingest.followed_masters import IDENTIFIER, KEY, FollowedMasters
from vitrine.adapters.memory.faults import Breaking
from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import TransientError
from vitrine.ingest.services import IngestServices
from vitrine.ingest.start.start_ingest import StartResult
from vitrine.ingest.steps.withdraw_image import REASON, withdraw_image
from vitrine.records import Gone, Redirect

HOUR = timedelta(hours=1)


@pytest.fixture
def followed(services: IngestServices) -> FollowedMasters:
    """Masters with a grace period of a day, which tests end as they like."""
    return FollowedMasters(replace(services, withdrawal_grace_seconds=86_400))


def test_a_deleted_master_leaves_a_tombstone_after_its_grace_period(
    followed: FollowedMasters,
) -> None:
    image = followed.publish_one()
    followed.masters.delete(KEY)
    assert followed.event() is StartResult.WITHDRAWING
    assert followed.answer() == "live"
    [request] = followed.withdrawing()
    assert request.grace_seconds == 86_400
    assert followed.grace_ends() == ["withdrawn"]
    tombstone = followed.services.identifiers.get(IDENTIFIER)
    assert isinstance(tombstone, Gone)
    assert tombstone.reason == REASON
    assert followed.superseded() == {image.access_master_key}
    outcome = followed.services.outcomes.get(KEY)
    assert outcome
    assert (outcome.state, outcome.sentence) == ("withdrawn", REASON)
    assert followed.events() == ["ImageChanged", "ImagePublished", "ImageChanged", "ImageWithdrawn"]


def test_repeated_deletion_events_withdraw_once(followed: FollowedMasters) -> None:
    followed.publish_one()
    followed.masters.delete(KEY)
    assert [followed.event() for _ in range(3)] == [
        StartResult.WITHDRAWING,
        StartResult.KNOWN,
        StartResult.KNOWN,
    ]
    followed.grace_ends()
    assert followed.event() is StartResult.MISSING
    assert followed.events().count("ImageWithdrawn") == 1


def test_a_deletion_that_is_heard_of_after_a_new_upload_changes_nothing(
    followed: FollowedMasters,
) -> None:
    followed.publish_one(b"1")
    followed.masters.delete(KEY)
    image = followed.publish_one(b"2")
    assert followed.event() is StartResult.KNOWN
    assert followed.withdrawing() == []
    assert followed.services.identifiers.get(IDENTIFIER) == image


def test_a_master_restored_within_the_grace_period_keeps_its_image(
    followed: FollowedMasters,
) -> None:
    image = followed.publish_one()
    followed.masters.delete(KEY)
    followed.event()
    followed.masters.restore(KEY)
    assert followed.event() is StartResult.KNOWN
    assert followed.grace_ends() == ["kept"]
    assert followed.services.identifiers.get(IDENTIFIER) == image
    assert followed.state() == "published"


def test_a_master_deleted_twice_has_its_grace_period_twice(followed: FollowedMasters) -> None:
    followed.publish_one()
    followed.masters.delete(KEY)
    followed.event()
    [first] = followed.withdrawing()
    followed.masters.restore(KEY)
    followed.masters.delete(KEY)
    assert followed.event() is StartResult.WITHDRAWING
    assert followed.grace_ends() == ["kept", "withdrawn"]
    assert followed.answer() == "gone"
    assert first.deletion


def test_a_new_upload_revives_a_tombstone(followed: FollowedMasters) -> None:
    followed.publish_one(b"1")
    followed.masters.delete(KEY)
    followed.event()
    followed.grace_ends()
    image = followed.publish_one(b"2")
    assert followed.answer() == "live"
    assert image.access_master_key not in followed.superseded()
    assert followed.state() == "published"


def test_a_restored_master_revives_a_tombstone(followed: FollowedMasters) -> None:
    """The same version: its first execution is known, and there is one more all the same."""
    image = followed.publish_one()
    followed.masters.delete(KEY)
    followed.event()
    followed.grace_ends()
    followed.masters.restore(KEY)
    assert followed.event() is StartResult.STARTED
    assert followed.event() is StartResult.KNOWN
    followed.run()
    assert followed.answer() == "live"
    assert followed.superseded() == set()
    assert followed.state() == "published"
    followed.masters.delete(KEY)
    assert followed.event() is StartResult.WITHDRAWING
    assert followed.grace_ends() == ["withdrawn"]
    assert image.master_version


def test_a_start_that_was_cut_off_is_taken_up_again(followed: FollowedMasters) -> None:
    followed.publish_one()
    followed.masters.delete(KEY)
    followed.event()
    followed.grace_ends()
    followed.masters.restore(KEY)
    pipeline = followed.services.pipeline
    cut = FollowedMasters(replace(followed.services, pipeline=Breaking(pipeline, times=1)))
    with pytest.raises(TransientError):
        cut.event()
    assert followed.state() == "running"
    assert cut.event() is StartResult.STARTED


def test_a_master_deleted_while_it_is_ingested_is_not_left_as_a_rejection(
    followed: FollowedMasters,
) -> None:
    followed.upload()
    followed.event()
    [request] = followed.started()
    ready = followed.convert(request)
    followed.masters.delete(KEY)
    followed.event()
    assert followed.publish(ready) == "master-deleted"
    assert followed.state() == "rejected"
    followed.grace_ends()
    assert followed.state() == "withdrawn"
    assert "ImageWithdrawn" not in followed.events()


def test_a_master_restored_after_it_was_missed_is_ingested(followed: FollowedMasters) -> None:
    followed.upload()
    followed.event()
    [request] = followed.started()
    ready = followed.convert(request)
    followed.masters.delete(KEY)
    followed.event()
    followed.publish(ready)
    followed.masters.restore(KEY)
    assert followed.event() is StartResult.STARTED
    followed.run()
    assert followed.grace_ends() == ["kept"]
    assert (followed.answer(), followed.state()) == ("live", "published")


def test_a_restore_that_comes_between_look_and_tombstone_is_noticed(
    followed: FollowedMasters,
) -> None:
    followed.publish_one()
    followed.masters.delete(KEY)
    followed.event()
    [request] = followed.withdrawing()
    table = followed.services.identifiers

    class RestoredMeanwhile(MemoryIdentifierTable):
        def get(self, identifier):  # type: ignore[no-untyped-def]
            return table.get(identifier)

        def write(self, record, replaces):  # type: ignore[no-untyped-def]
            followed.masters.restore(KEY)
            assert followed.event() is StartResult.KNOWN
            table.write(record, replaces)

    withdraw_image(replace(followed.services, identifiers=RestoredMeanwhile()), request)
    followed.ran.add(request.execution)
    assert followed.answer() == "gone"
    followed.run()
    assert (followed.answer(), followed.state()) == ("live", "published")


def test_an_image_of_another_master_is_not_withdrawn(followed: FollowedMasters) -> None:
    followed.upload(key="b/nachtwache.jpg")
    followed.event("b/nachtwache.jpg")
    [other] = followed.started()
    followed.ran.add(other.execution)
    image = followed.publish_one()
    followed.masters.delete("b/nachtwache.jpg")
    followed.event("b/nachtwache.jpg")
    assert followed.grace_ends() == ["withdrawn"]
    assert followed.services.identifiers.get(IDENTIFIER) == image
    assert followed.state("b/nachtwache.jpg") == "withdrawn"


def test_a_redirect_outlives_the_master_that_was_called_so(followed: FollowedMasters) -> None:
    redirect = Redirect(identifier=IDENTIFIER, target="SK-C-5", changed_at="2026")
    followed = FollowedMasters(
        replace(followed.services, identifiers=MemoryIdentifierTable(redirect))
    )
    followed.upload()
    followed.event()
    followed.masters.delete(KEY)
    followed.event()
    followed.grace_ends()
    assert followed.services.identifiers.get(IDENTIFIER) == redirect
    assert "ImageWithdrawn" not in followed.events()


@pytest.mark.parametrize("port", ["records", "identifiers", "outcomes", "events"])
def test_a_withdrawal_that_breaks_off_ends_where_an_unbroken_one_does(
    followed: FollowedMasters, port: str
) -> None:
    image = followed.publish_one()
    followed.masters.delete(KEY)
    followed.event()
    [request] = followed.withdrawing()
    for times in (1, 2):
        broken = Breaking(getattr(followed.services, port), times=times, methods=METHODS[port])
        with pytest.raises(TransientError):
            withdraw_image(replace(followed.services, **{port: broken}), request)
    withdraw_image(followed.services, request)
    assert (followed.answer(), followed.state()) == ("gone", "withdrawn")
    assert followed.superseded() == {image.access_master_key}
    assert "ImageWithdrawn" in followed.events()


METHODS = {
    "records": frozenset({"put"}),
    "identifiers": frozenset({"write"}),
    "outcomes": frozenset({"record"}),
    "events": frozenset({"publish"}),
}


def test_an_older_version_takes_the_place_of_one_deleted_for_good(
    followed: FollowedMasters,
) -> None:
    moments = itertools.count()
    ticking = MemoryObjectStore(lambda: datetime(2026, 11, 21, tzinfo=UTC) + HOUR * next(moments))
    followed = FollowedMasters(replace(followed.services, masters=ticking))
    followed.publish_one(b"1")
    newer = followed.publish_one(b"2")
    ticking._versions[KEY].pop()
    assert followed.event() is StartResult.STARTED
    assert followed.event() is StartResult.KNOWN
    followed.run()
    image = followed.services.identifiers.get(IDENTIFIER)
    assert image != newer
    assert followed.superseded() == {newer.access_master_key}
    assert followed.event() is StartResult.KNOWN
    latest = followed.publish_one(b"3")
    assert followed.services.identifiers.get(IDENTIFIER) == latest


def test_nothing_in_the_masters_bucket_is_touched(followed: FollowedMasters) -> None:
    followed.publish_one()
    followed.masters.delete(KEY)
    before = followed.masters.list_keys()
    followed.event()
    followed.grace_ends()
    assert followed.masters.list_keys() == before
