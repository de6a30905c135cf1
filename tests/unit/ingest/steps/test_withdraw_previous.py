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
def followed(services: IngestServices) -> FollowedMasters:
    """A master whose rename was under way, and came to nothing."""
    seconds = itertools.count()
    begin = datetime(2026, 11, 21, tzinfo=UTC)
    masters = MemoryObjectStore(lambda: begin + timedelta(seconds=next(seconds)))
    followed = FollowedMasters(replace(services, masters=masters))
    followed.publish_one()
    return followed


def rename_that_is_refused(followed: FollowedMasters, identifier: str = NEW) -> None:
    """The name is another master's by the time that the new version is looked at."""
    etag = followed.masters.head(KEY).etag
    followed.masters.copy_in_place(KEY, {IDENTIFIER_METADATA: identifier}, if_etag=etag)
    followed.event()
    assert followed.services.outcomes.get(KEY)


def test_a_rename_that_never_ended_leaves_no_image_of_a_deleted_master(
    followed: FollowedMasters,
) -> None:
    rename_that_is_refused(followed)
    followed.masters.delete(KEY)
    followed.event()
    followed.run()
    followed.grace_ends()
    assert followed.answer(IDENTIFIER) == "gone"
    assert followed.state() == "withdrawn"
    assert followed.events().count("ImageWithdrawn") == 1


def test_a_name_that_was_refused_leaves_no_image_of_a_deleted_master(
    followed: FollowedMasters,
) -> None:
    rename_that_is_refused(followed, "no/../identifier")
    assert (followed.state(), followed.answer()) == ("rejected", "live")
    followed.masters.delete(KEY)
    followed.event()
    followed.grace_ends()
    assert (followed.state(), followed.answer()) == ("withdrawn", "gone")


def test_an_image_of_another_master_under_a_previous_name_stays(followed: FollowedMasters) -> None:
    rename_that_is_refused(followed)
    followed.run()
    other = f"b/{IDENTIFIER}.tif"
    followed.services.identifiers._records.pop(IDENTIFIER)  # type: ignore[attr-defined]
    followed.services = replace(followed.services, records=MemoryObjectStore())
    followed.publish_one(b"2", other)
    followed.masters.delete(KEY)
    followed.event()
    followed.grace_ends()
    assert (followed.answer(NEW), followed.answer(IDENTIFIER)) == ("gone", "live")


def test_a_withdrawal_of_two_names_that_breaks_off_is_announced_for_both(
    followed: FollowedMasters,
) -> None:
    rename_that_is_refused(followed)
    followed.masters.delete(KEY)
    followed.event()
    [request] = followed.withdrawing()
    events = Breaking(followed.services.events, times=2, methods=frozenset({"publish"}))
    for _ in range(2):
        with pytest.raises(TransientError):
            withdraw_image(replace(followed.services, events=events), request)
    withdraw_image(followed.services, request)
    assert followed.answer(IDENTIFIER) == "gone"
    assert "ImageWithdrawn" in followed.events()


def test_the_reconciler_finds_an_image_that_outlived_its_withdrawn_master(
    followed: FollowedMasters,
) -> None:
    """Whatever left it behind: the outcome says withdrawn, and the image still answers."""
    image = followed.services.identifiers.get(IDENTIFIER)
    followed.masters.delete(KEY)
    followed.event()
    followed.grace_ends()
    current = followed.services.identifiers.get(IDENTIFIER)
    assert image
    assert current
    followed.services.identifiers.write(replace(image, revision=current.revision), current)
    assert walk(followed)["withdrawing"] == 1
    followed.grace_ends()
    assert followed.answer() == "gone"


def test_the_reconciler_follows_a_deletion_of_which_no_outcome_is_left(
    followed: FollowedMasters,
) -> None:
    followed.services.outcomes._outcomes.clear()  # type: ignore[attr-defined]
    followed.masters.delete(KEY)
    assert walk(followed)["withdrawing"] == 1
    followed.grace_ends()
    assert (followed.answer(), followed.state()) == ("gone", "withdrawn")


def test_a_master_without_any_name_is_no_trouble_later(followed: FollowedMasters) -> None:
    """DynamoDB refuses to be asked for an empty key."""
    followed.masters.put("/", b"1", content_type="image/tiff")
    followed.event("/")
    assert followed.state("/") == "rejected"
    etag = followed.masters.head("/").etag
    followed.masters.copy_in_place("/", {IDENTIFIER_METADATA: NEW}, if_etag=etag)
    followed.event("/")
    [request] = followed.started()
    assert request.previous_identifiers == []
