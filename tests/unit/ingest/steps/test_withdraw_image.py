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
from vitrine.ingest.start.start_ingest import Started
from vitrine.ingest.steps.withdraw_image import REASON, withdraw_image
from vitrine.records import Gone, Redirect

HOUR = timedelta(hours=1)


@pytest.fixture
def bed(services: IngestServices) -> FollowedMasters:
    """Masters with a grace period of a day, which tests end as they like."""
    return FollowedMasters(replace(services, withdrawal_grace_seconds=86_400))


def test_a_deleted_master_leaves_a_tombstone_after_its_grace_period(bed: FollowedMasters) -> None:
    image = bed.publish_one()
    bed.masters.delete(KEY)
    assert bed.event() is Started.WITHDRAWING
    assert bed.answer() == "live"
    [request] = bed.withdrawing()
    assert request.grace_seconds == 86_400
    assert bed.grace_ends() == ["withdrawn"]
    tombstone = bed.services.identifiers.get(IDENTIFIER)
    assert isinstance(tombstone, Gone)
    assert tombstone.reason == REASON
    assert bed.superseded() == {image.access_master_key}
    outcome = bed.services.outcomes.get(KEY)
    assert outcome
    assert (outcome.state, outcome.sentence) == ("withdrawn", REASON)
    assert bed.events() == ["ImageChanged", "ImagePublished", "ImageChanged", "ImageWithdrawn"]


def test_repeated_deletion_events_withdraw_once(bed: FollowedMasters) -> None:
    bed.publish_one()
    bed.masters.delete(KEY)
    assert [bed.event() for _ in range(3)] == [
        Started.WITHDRAWING,
        Started.KNOWN,
        Started.KNOWN,
    ]
    bed.grace_ends()
    assert bed.event() is Started.MISSING
    assert bed.events().count("ImageWithdrawn") == 1


def test_a_deletion_that_is_heard_of_after_a_new_upload_changes_nothing(
    bed: FollowedMasters,
) -> None:
    bed.publish_one(b"1")
    bed.masters.delete(KEY)
    image = bed.publish_one(b"2")
    assert bed.event() is Started.KNOWN
    assert bed.withdrawing() == []
    assert bed.services.identifiers.get(IDENTIFIER) == image


def test_a_master_restored_within_the_grace_period_keeps_its_image(bed: FollowedMasters) -> None:
    image = bed.publish_one()
    bed.masters.delete(KEY)
    bed.event()
    bed.masters.restore(KEY)
    assert bed.event() is Started.KNOWN
    assert bed.grace_ends() == ["kept"]
    assert bed.services.identifiers.get(IDENTIFIER) == image
    assert bed.state() == "published"


def test_a_master_deleted_twice_has_its_grace_period_twice(bed: FollowedMasters) -> None:
    bed.publish_one()
    bed.masters.delete(KEY)
    bed.event()
    [first] = bed.withdrawing()
    bed.masters.restore(KEY)
    bed.masters.delete(KEY)
    assert bed.event() is Started.WITHDRAWING
    assert bed.grace_ends() == ["kept", "withdrawn"]
    assert bed.answer() == "gone"
    assert first.deletion


def test_a_new_upload_revives_a_tombstone(bed: FollowedMasters) -> None:
    bed.publish_one(b"1")
    bed.masters.delete(KEY)
    bed.event()
    bed.grace_ends()
    image = bed.publish_one(b"2")
    assert bed.answer() == "live"
    assert image.access_master_key not in bed.superseded()
    assert bed.state() == "published"


def test_a_restored_master_revives_a_tombstone(bed: FollowedMasters) -> None:
    """The same version: its first execution is known, and there is one more all the same."""
    image = bed.publish_one()
    bed.masters.delete(KEY)
    bed.event()
    bed.grace_ends()
    bed.masters.restore(KEY)
    assert bed.event() is Started.STARTED
    assert bed.event() is Started.KNOWN
    bed.run()
    assert bed.answer() == "live"
    assert bed.superseded() == set()
    assert bed.state() == "published"
    bed.masters.delete(KEY)
    assert bed.event() is Started.WITHDRAWING
    assert bed.grace_ends() == ["withdrawn"]
    assert image.master_version


def test_a_start_that_was_cut_off_is_taken_up_again(bed: FollowedMasters) -> None:
    bed.publish_one()
    bed.masters.delete(KEY)
    bed.event()
    bed.grace_ends()
    bed.masters.restore(KEY)
    pipeline = bed.services.pipeline
    cut = FollowedMasters(replace(bed.services, pipeline=Breaking(pipeline, times=1)))
    with pytest.raises(TransientError):
        cut.event()
    assert bed.state() == "running"
    assert cut.event() is Started.STARTED


def test_a_master_deleted_while_it_is_ingested_is_not_left_as_a_rejection(
    bed: FollowedMasters,
) -> None:
    bed.upload()
    bed.event()
    [request] = bed.started()
    ready = bed.convert(request)
    bed.masters.delete(KEY)
    bed.event()
    assert bed.publish(ready) == "master-deleted"
    assert bed.state() == "rejected"
    bed.grace_ends()
    assert bed.state() == "withdrawn"
    assert "ImageWithdrawn" not in bed.events()


def test_a_master_restored_after_it_was_missed_is_ingested(bed: FollowedMasters) -> None:
    bed.upload()
    bed.event()
    [request] = bed.started()
    ready = bed.convert(request)
    bed.masters.delete(KEY)
    bed.event()
    bed.publish(ready)
    bed.masters.restore(KEY)
    assert bed.event() is Started.STARTED
    bed.run()
    assert bed.grace_ends() == ["kept"]
    assert (bed.answer(), bed.state()) == ("live", "published")


def test_a_restore_that_comes_between_look_and_tombstone_is_noticed(
    bed: FollowedMasters,
) -> None:
    bed.publish_one()
    bed.masters.delete(KEY)
    bed.event()
    [request] = bed.withdrawing()
    table = bed.services.identifiers

    class RestoredMeanwhile(MemoryIdentifierTable):
        def get(self, identifier):  # type: ignore[no-untyped-def]
            return table.get(identifier)

        def write(self, record, replaces):  # type: ignore[no-untyped-def]
            bed.masters.restore(KEY)
            assert bed.event() is Started.KNOWN
            table.write(record, replaces)

    withdraw_image(replace(bed.services, identifiers=RestoredMeanwhile()), request)
    bed.ran.add(request.execution)
    assert bed.answer() == "gone"
    bed.run()
    assert (bed.answer(), bed.state()) == ("live", "published")


def test_an_image_of_another_master_is_not_withdrawn(bed: FollowedMasters) -> None:
    bed.upload(key="b/nachtwache.jpg")
    bed.event("b/nachtwache.jpg")
    [other] = bed.started()
    bed.ran.add(other.execution)
    image = bed.publish_one()
    bed.masters.delete("b/nachtwache.jpg")
    bed.event("b/nachtwache.jpg")
    assert bed.grace_ends() == ["withdrawn"]
    assert bed.services.identifiers.get(IDENTIFIER) == image
    assert bed.state("b/nachtwache.jpg") == "withdrawn"


def test_a_redirect_outlives_the_master_that_was_called_so(bed: FollowedMasters) -> None:
    redirect = Redirect(identifier=IDENTIFIER, target="SK-C-5", changed_at="2026")
    bed = FollowedMasters(replace(bed.services, identifiers=MemoryIdentifierTable(redirect)))
    bed.upload()
    bed.event()
    bed.masters.delete(KEY)
    bed.event()
    bed.grace_ends()
    assert bed.services.identifiers.get(IDENTIFIER) == redirect
    assert "ImageWithdrawn" not in bed.events()


@pytest.mark.parametrize("port", ["records", "identifiers", "outcomes", "events"])
def test_a_withdrawal_that_breaks_off_ends_where_an_unbroken_one_does(
    bed: FollowedMasters, port: str
) -> None:
    image = bed.publish_one()
    bed.masters.delete(KEY)
    bed.event()
    [request] = bed.withdrawing()
    for times in (1, 2):
        broken = Breaking(getattr(bed.services, port), times=times, methods=METHODS[port])
        with pytest.raises(TransientError):
            withdraw_image(replace(bed.services, **{port: broken}), request)
    withdraw_image(bed.services, request)
    assert (bed.answer(), bed.state()) == ("gone", "withdrawn")
    assert bed.superseded() == {image.access_master_key}
    assert "ImageWithdrawn" in bed.events()


METHODS = {
    "records": frozenset({"put"}),
    "identifiers": frozenset({"write"}),
    "outcomes": frozenset({"record"}),
    "events": frozenset({"publish"}),
}


def test_an_older_version_takes_the_place_of_one_deleted_for_good(bed: FollowedMasters) -> None:
    moments = itertools.count()
    ticking = MemoryObjectStore(lambda: datetime(2026, 11, 21, tzinfo=UTC) + HOUR * next(moments))
    bed = FollowedMasters(replace(bed.services, masters=ticking))
    bed.publish_one(b"1")
    newer = bed.publish_one(b"2")
    ticking._versions[KEY].pop()
    assert bed.event() is Started.STARTED
    assert bed.event() is Started.KNOWN
    bed.run()
    image = bed.services.identifiers.get(IDENTIFIER)
    assert image != newer
    assert bed.superseded() == {newer.access_master_key}
    assert bed.event() is Started.KNOWN
    latest = bed.publish_one(b"3")
    assert bed.services.identifiers.get(IDENTIFIER) == latest


def test_nothing_in_the_masters_bucket_is_touched(bed: FollowedMasters) -> None:
    bed.publish_one()
    bed.masters.delete(KEY)
    before = bed.masters.list_keys()
    bed.event()
    bed.grace_ends()
    assert bed.masters.list_keys() == before
