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
def followed(services: IngestServices) -> FollowedMasters:
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


def newest(followed: FollowedMasters) -> str:
    return followed.masters.head(KEY).version


def outcome(followed: FollowedMasters) -> Outcome:
    found = followed.services.outcomes.get(KEY)
    assert found
    return found


def image(followed: FollowedMasters) -> Live:
    found = followed.services.identifiers.get(IDENTIFIER)
    assert isinstance(found, Live)
    return found


def assert_newest_everywhere(followed: FollowedMasters) -> None:
    assert image(followed).master_version == newest(followed)
    assert (outcome(followed).master_version, outcome(followed).state) == (
        newest(followed),
        "published",
    )


def test_two_uploads_in_turn_end_with_the_second(followed: FollowedMasters) -> None:
    first = followed.publish_one(b"1")
    second = followed.publish_one(b"2")
    assert first.master_modified == second.master_modified
    assert_newest_everywhere(followed)


def test_a_starter_that_was_held_up_does_not_take_the_newer_outcome_back(
    followed: FollowedMasters,
) -> None:
    """It saw the first upload, and comes to write when the second is published."""
    followed.upload(b"1")
    seen = followed.masters.head(KEY)
    second = followed.publish_one(b"2")
    start_version(followed.services, seen)
    followed.run()
    assert image(followed) == second
    assert_newest_everywhere(followed)


def test_a_publication_that_was_held_up_gives_way_to_the_newer_image(
    followed: FollowedMasters,
) -> None:
    """The second is published between the first one's look at the store and its change."""
    followed.upload(b"1")
    followed.event()
    [request] = followed.started()
    ready = followed.convert(request)
    held = Meanwhile(followed.services.identifiers, "get", lambda: followed.publish_one(b"2"))
    followed.ran.add(request.execution)
    with pytest.raises(SupersededMaster):
        publish_image(replace(followed.services, identifiers=held), ready)
    assert_newest_everywhere(followed)
    assert ready.access_master_key in followed.superseded()


@pytest.mark.parametrize("end", ["published", "rejected", "failed"])
def test_an_end_that_was_held_up_does_not_take_the_newer_outcome_back(
    followed: FollowedMasters, end: str
) -> None:
    followed.upload(b"1")
    followed.event()
    [request] = followed.started()
    followed.ran.add(request.execution)
    held = Meanwhile(followed.services.outcomes, "record", lambda: followed.publish_one(b"2"))
    services = replace(followed.services, outcomes=held)
    if end == "published":
        record_outcome(services, request, "published")
    elif end == "rejected":
        record_rejection(services, request, master_deleted(KEY).rejection)
    else:
        record_failure(services, request, {"Error": "Runtime.ExitError", "Cause": ""})
    assert_newest_everywhere(followed)


def test_an_older_upload_is_ingested_again_when_the_newer_is_deleted_for_good(
    followed: FollowedMasters,
) -> None:
    followed.publish_one(b"1")
    followed.publish_one(b"2")
    followed.masters._versions[KEY].pop()
    followed.services.outcomes.record(replace(outcome(followed), state="withdrawn"))
    followed.event()
    followed.run()
    assert_newest_everywhere(followed)


def test_of_a_newer_image_nobody_is_asked_twice(followed: FollowedMasters) -> None:
    """A change that lost its race decides again from the state at that time."""
    followed.upload(b"1")
    followed.event()
    [request] = followed.started()
    followed.ran.add(request.execution)
    ready = followed.convert(request)
    reads: list[Record | None] = []
    held = Meanwhile(
        followed.services.records, "put", lambda: reads.append(followed.publish_one(b"2"))
    )
    with pytest.raises(SupersededMaster):
        publish_image(replace(followed.services, records=held), ready)
    assert reads == [image(followed)]
    assert_newest_everywhere(followed)
