"""Lost executions and unreported uploads are found within minutes, by the reconciler itself."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.unit.ingest.followed_masters import FollowedMasters
from tests.unit.ingest.walked import pages, reconciler, walk_at
from vitrine.adapters.memory.messaging import MemoryPipeline, MemoryQueue
from vitrine.ingest.repair.patrol import patrol

SOON = timedelta(minutes=5)


def patrol_soon(followed: FollowedMasters, uploads: MemoryQueue | None = None) -> dict[str, int]:
    services = reconciler(followed)
    if uploads:
        services = replace(services, starter=replace(services.starter, uploads=uploads))
    counts = patrol(services, services.rules(datetime.now(UTC) + SOON))
    return {name: count for name, count in counts.items() if count}


def crash(followed: FollowedMasters) -> FollowedMasters:
    """The emulator is killed, and has forgotten all executions."""
    return FollowedMasters(replace(followed.services, pipeline=MemoryPipeline()))


def test_a_running_master_without_an_execution_is_started_within_minutes(
    followed: FollowedMasters,
) -> None:
    for key in ("a.tif", "b.tif"):
        followed.upload(key=key)
        followed.event(key)
    after = crash(followed)
    assert patrol_soon(after) == {"masters": 2, "restarted": 2}
    assert len(after.started()) == 2
    assert patrol_soon(after) == {"masters": 2}, "they run now"
    after.run()
    assert (after.answer("a"), after.answer("b")) == ("live", "live")


def test_a_walk_also_looks_for_the_execution(followed: FollowedMasters) -> None:
    followed.upload()
    followed.event()
    assert walk_at(followed, datetime.now(UTC) + SOON) == {"masters": 1}
    assert walk_at(crash(followed), datetime.now(UTC) + SOON) == {"masters": 1, "restarted": 1}


def test_an_execution_that_ended_unrecorded_is_started_again(followed: FollowedMasters) -> None:
    followed.upload()
    followed.event()
    assert isinstance(followed.services.pipeline, MemoryPipeline)
    followed.services.pipeline.ended.update(followed.services.pipeline.executions)
    assert patrol_soon(followed)["restarted"] == 1


def test_a_start_that_is_under_way_is_left_alone(followed: FollowedMasters) -> None:
    """The outcome is written before the execution starts."""
    followed.upload()
    followed.event()
    services = reconciler(crash(followed))
    assert patrol(services, services.rules(datetime.now(UTC)))["restarted"] == 0


def test_an_upload_without_any_outcome_is_found_within_minutes(followed: FollowedMasters) -> None:
    followed.upload()
    assert patrol_soon(followed) == {"masters": 1, "started": 1}
    followed.run()
    assert followed.answer() == "live"


def test_uploads_that_wait_in_their_queue_are_left_to_it(followed: FollowedMasters) -> None:
    followed.upload()
    uploads = MemoryQueue()
    uploads.send("{}")
    assert patrol_soon(followed, uploads) == {}
    assert followed.started() == []


def test_a_collection_of_many_pages_is_left_to_the_next_walk(
    followed: FollowedMasters, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A patrol costs one listing, however many masters there are; what is lost is found there."""
    for key in ("a.tif", "b.tif", "c.tif"):
        followed.upload(key=key)
    followed.event("c.tif")
    after = crash(followed)
    pages(after, monkeypatch, 2)
    assert patrol_soon(after) == {"restarted": 1}
