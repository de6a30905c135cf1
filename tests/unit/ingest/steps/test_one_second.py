"""Uploads of one key within one second, which is as exact as S3 dates them: the newest wins."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.unit.ingest.followed_masters import IDENTIFIER, KEY, FollowedMasters
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import SupersededMaster
from vitrine.ingest.record_outcome import record_failure, record_outcome, record_rejection
from vitrine.ingest.rejections import master_deleted
from vitrine.ingest.services import IngestServices
from vitrine.ingest.start.start_ingest import start_version
from vitrine.ingest.steps.publish_image import publish_image
from vitrine.records import Live, Outcome, Record

SECOND = datetime(2026, 11, 21, tzinfo=UTC)


@pytest.fixture
def bed(services: IngestServices) -> FollowedMasters:
    return FollowedMasters(replace(services, masters=MemoryObjectStore(lambda: SECOND)))


class Meanwhile:
    """A port, before one of whose methods something else happens, once."""

    def __init__(self, port: Any, method: str, happens: Callable[[], object]) -> None:
        self._port, self._method, self._happens = port, method, [happens]

    def __getattr__(self, name: str) -> Any:
        def call(*given: Any, **named: Any) -> Any:
            if name == self._method and self._happens:
                self._happens.pop()()
            return getattr(self._port, name)(*given, **named)

        return call


def newest(bed: FollowedMasters) -> str:
    return bed.masters.head(KEY).version


def outcome(bed: FollowedMasters) -> Outcome:
    found = bed.services.outcomes.get(KEY)
    assert found
    return found


def image(bed: FollowedMasters) -> Live:
    found = bed.services.identifiers.get(IDENTIFIER)
    assert isinstance(found, Live)
    return found


def assert_newest_everywhere(bed: FollowedMasters) -> None:
    assert image(bed).master_version == newest(bed)
    assert (outcome(bed).master_version, outcome(bed).state) == (newest(bed), "published")


def test_two_uploads_in_turn_end_with_the_second(bed: FollowedMasters) -> None:
    first = bed.publish_one(b"1")
    second = bed.publish_one(b"2")
    assert first.master_modified == second.master_modified
    assert_newest_everywhere(bed)


def test_a_starter_that_was_held_up_does_not_take_the_newer_outcome_back(
    bed: FollowedMasters,
) -> None:
    """It saw the first upload, and comes to write when the second is published."""
    bed.upload(b"1")
    seen = bed.masters.head(KEY)
    second = bed.publish_one(b"2")
    start_version(bed.services, seen)
    bed.run()
    assert image(bed) == second
    assert_newest_everywhere(bed)


def test_a_publication_that_was_held_up_gives_way_to_the_newer_image(bed: FollowedMasters) -> None:
    """The second is published between the first one's look at the store and its change."""
    bed.upload(b"1")
    bed.event()
    [request] = bed.started()
    ready = bed.convert(request)
    held = Meanwhile(bed.services.identifiers, "get", lambda: bed.publish_one(b"2"))
    bed.ran.add(request.execution)
    with pytest.raises(SupersededMaster):
        publish_image(replace(bed.services, identifiers=held), ready)
    assert_newest_everywhere(bed)
    assert ready.access_master_key in bed.superseded()


@pytest.mark.parametrize("end", ["published", "rejected", "failed"])
def test_an_end_that_was_held_up_does_not_take_the_newer_outcome_back(
    bed: FollowedMasters, end: str
) -> None:
    bed.upload(b"1")
    bed.event()
    [request] = bed.started()
    bed.ran.add(request.execution)
    held = Meanwhile(bed.services.outcomes, "record", lambda: bed.publish_one(b"2"))
    services = replace(bed.services, outcomes=held)
    if end == "published":
        record_outcome(services, request, "published")
    elif end == "rejected":
        record_rejection(services, request, master_deleted(KEY).rejection)
    else:
        record_failure(services, request, {"Error": "Runtime.ExitError", "Cause": ""})
    assert_newest_everywhere(bed)


def test_an_older_upload_is_ingested_again_when_the_newer_is_deleted_for_good(
    bed: FollowedMasters,
) -> None:
    bed.publish_one(b"1")
    bed.publish_one(b"2")
    bed.masters._versions[KEY].pop()
    bed.services.outcomes.record(replace(outcome(bed), state="withdrawn"))
    bed.event()
    bed.run()
    assert_newest_everywhere(bed)


def test_of_a_newer_image_nobody_is_asked_twice(bed: FollowedMasters) -> None:
    """A change that lost its race decides anew from what stands then."""
    bed.upload(b"1")
    bed.event()
    [request] = bed.started()
    bed.ran.add(request.execution)
    ready = bed.convert(request)
    reads: list[Record | None] = []
    held = Meanwhile(bed.services.records, "put", lambda: reads.append(bed.publish_one(b"2")))
    with pytest.raises(SupersededMaster):
        publish_image(replace(bed.services, records=held), ready)
    assert reads == [image(bed)]
    assert_newest_everywhere(bed)
