"""A deleted master takes every image of it along, under whatever name that still answers."""

import itertools
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.unit.ingest.followed_masters import IDENTIFIER, KEY, FollowedMasters
from tests.unit.ingest.walked import walk
from vitrine.adapters.memory.faults import Breaking
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import TransientError
from vitrine.ingest.services import IngestServices
from vitrine.ingest.start.start_ingest import IDENTIFIER_METADATA
from vitrine.ingest.steps.withdraw_image import withdraw_image

NEW = "SK-C-5"


@pytest.fixture
def bed(services: IngestServices) -> FollowedMasters:
    """A master whose rename was under way, and came to nothing."""
    seconds = itertools.count()
    begin = datetime(2026, 11, 21, tzinfo=UTC)
    masters = MemoryObjectStore(lambda: begin + timedelta(seconds=next(seconds)))
    bed = FollowedMasters(replace(services, masters=masters))
    bed.publish_one()
    return bed


def rename_that_is_refused(bed: FollowedMasters, identifier: str = NEW) -> None:
    """The name is another master's by the time that the new version is looked at."""
    etag = bed.masters.head(KEY).etag
    bed.masters.copy_in_place(KEY, {IDENTIFIER_METADATA: identifier}, if_etag=etag)
    bed.event()
    assert bed.services.outcomes.get(KEY)


def test_a_rename_that_never_ended_leaves_no_image_of_a_deleted_master(
    bed: FollowedMasters,
) -> None:
    rename_that_is_refused(bed)
    bed.masters.delete(KEY)
    bed.event()
    bed.run()
    bed.grace_ends()
    assert bed.answer(IDENTIFIER) == "gone"
    assert bed.state() == "withdrawn"
    assert bed.events().count("ImageWithdrawn") == 1


def test_a_name_that_was_refused_leaves_no_image_of_a_deleted_master(bed: FollowedMasters) -> None:
    rename_that_is_refused(bed, "no/../identifier")
    assert (bed.state(), bed.answer()) == ("rejected", "live")
    bed.masters.delete(KEY)
    bed.event()
    bed.grace_ends()
    assert (bed.state(), bed.answer()) == ("withdrawn", "gone")


def test_an_image_of_another_master_under_a_former_name_stays(bed: FollowedMasters) -> None:
    rename_that_is_refused(bed)
    bed.run()
    other = f"b/{IDENTIFIER}.tif"
    bed.services.identifiers._records.pop(IDENTIFIER)  # type: ignore[attr-defined]
    bed.services = replace(bed.services, records=MemoryObjectStore())
    bed.publish_one(b"2", other)
    bed.masters.delete(KEY)
    bed.event()
    bed.grace_ends()
    assert (bed.answer(NEW), bed.answer(IDENTIFIER)) == ("gone", "live")


def test_a_withdrawal_of_two_names_that_breaks_off_is_told_of_both(bed: FollowedMasters) -> None:
    rename_that_is_refused(bed)
    bed.masters.delete(KEY)
    bed.event()
    [request] = bed.withdrawing()
    told = Breaking(bed.services.events, times=2, methods=frozenset({"publish"}))
    for _ in range(2):
        with pytest.raises(TransientError):
            withdraw_image(replace(bed.services, events=told), request)
    withdraw_image(bed.services, request)
    assert bed.answer(IDENTIFIER) == "gone"
    assert "ImageWithdrawn" in bed.events()


def test_the_reconciler_finds_an_image_that_outlived_its_withdrawn_master(
    bed: FollowedMasters,
) -> None:
    """Whatever left it behind: the outcome says withdrawn, and the image still answers."""
    image = bed.services.identifiers.get(IDENTIFIER)
    bed.masters.delete(KEY)
    bed.event()
    bed.grace_ends()
    there = bed.services.identifiers.get(IDENTIFIER)
    assert image
    assert there
    bed.services.identifiers.write(replace(image, revision=there.revision), there)
    assert walk(bed)["withdrawing"] == 1
    bed.grace_ends()
    assert bed.answer() == "gone"


def test_the_reconciler_follows_a_deletion_of_which_no_outcome_is_left(
    bed: FollowedMasters,
) -> None:
    bed.services.outcomes._outcomes.clear()  # type: ignore[attr-defined]
    bed.masters.delete(KEY)
    assert walk(bed)["withdrawing"] == 1
    bed.grace_ends()
    assert (bed.answer(), bed.state()) == ("gone", "withdrawn")


def test_a_master_without_any_name_is_no_trouble_later(bed: FollowedMasters) -> None:
    """DynamoDB refuses to be asked for an empty key."""
    bed.masters.put("/", b"1", content_type="image/tiff")
    bed.event("/")
    assert bed.state("/") == "rejected"
    etag = bed.masters.head("/").etag
    bed.masters.copy_in_place("/", {IDENTIFIER_METADATA: NEW}, if_etag=etag)
    bed.event("/")
    [request] = bed.started()
    assert request.previous_identifiers == []
