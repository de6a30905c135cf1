"""The reconciler's walk: page by page, throttled, and taken up where it stopped."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.unit.ingest.followed_masters import FollowedMasters
from tests.unit.ingest.walked import LATER, pages, reconciler, walk_at
from vitrine.adapters.memory.faults import Breaking
from vitrine.adapters.memory.messaging import MemoryQueue
from vitrine.errors import TransientError
from vitrine.ingest.repair import reconcile_masters
from vitrine.ingest.repair.reconciler import Cursor, Walk, reconcile, walk_through
from vitrine.ingest.start.upload_hints import Hint
from vitrine.slices import Slice
from vitrine.store.layout import SUPERSEDED_TAG


def test_a_dry_run_counts_and_does_nothing(followed: FollowedMasters) -> None:
    followed.publish_one(key="a.tif")
    followed.masters.delete("a.tif")
    followed.publish_one(key="gone.tif")
    followed.masters.purge("gone.tif")
    kept = followed.publish_one(b"1", "kept.tif")
    followed.services.access_masters.tag(kept.access_master_key, SUPERSEDED_TAG)
    followed.upload(key="b.tif")
    followed.upload(key="folder/", body=b"")
    before = followed.superseded()
    found = walk_at(followed, LATER, dry_run=True)
    assert found == {
        "masters": 3,
        "started": 1,
        "withdrawing": 2,
        "access_masters": 3,
        "kept": 1,
    }
    assert (followed.started(), followed.withdrawing(), followed.superseded()) == ([], [], before)
    assert walk_at(followed, LATER) == found


def test_a_run_goes_on_where_the_last_one_stopped(
    followed: FollowedMasters, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = [f"{number:02}.tif" for number in range(10)]
    for key in keys:
        followed.upload(key=key)
    pages(followed, monkeypatch, 3)
    services = reconciler(followed)
    cursor, counts, runs = Cursor(), Counter[str](), 0
    while cursor.walk is not Walk.DONE:
        one_page = Slice(iter([1, 0]).__next__)
        run = reconcile(services, services.rules(LATER), cursor, one_page)
        counts.update(run.counts)
        cursor = Cursor.from_json(run.as_json()["place"])
        runs += 1
    assert runs == 5
    assert (counts["masters"], counts["started"]) == (10, 10)


def test_a_page_that_fails_is_done_by_the_next_run(followed: FollowedMasters) -> None:
    for number in range(10):
        followed.upload(key=f"m{number}.tif")
    broken = Breaking(followed.services.pipeline, every=4, methods=frozenset({"start"}))
    services = reconciler(followed, pipeline=broken)
    failures = 0
    for _ in range(10):
        try:
            reconcile(services, services.rules(datetime.now(UTC)), Cursor())
            break
        except TransientError:
            failures += 1
    assert failures
    walk_at(followed, LATER)
    followed.run()
    assert [followed.state(f"m{number}.tif") for number in range(10)] == ["published"] * 10


def test_what_cannot_be_started_yet_waits_in_the_queue(followed: FollowedMasters) -> None:
    for number in range(5):
        followed.upload(key=f"m{number}.tif")
    services = reconciler(followed, at_once=2)
    run = reconcile(services, services.rules(datetime.now(UTC)), Cursor())
    assert run.done
    assert (run.counts["started"], run.counts["queued"]) == (2, 3)
    queue = services.starter.uploads
    assert isinstance(queue, MemoryQueue)
    hints = [Hint.from_body(body).master_key for body in queue.messages]
    assert hints == ["m2.tif", "m3.tif", "m4.tif"]


def test_a_full_queue_makes_the_walk_wait(
    followed: FollowedMasters, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        followed.upload(key=f"m{number}.tif")
    monkeypatch.setattr(reconcile_masters, "FULL", 1)
    services = reconciler(followed, at_once=1)
    rules = services.rules(datetime.now(UTC))
    run = reconcile(services, rules, Cursor())
    assert (run.crowded, run.done, run.cursor) == (True, False, Cursor())
    waited: list[int] = []

    def wait() -> bool:
        waited.append(1)
        for message in services.starter.uploads.take():
            followed.event(Hint.from_body(message.body).master_key)
            services.starter.uploads.delete([message])
        return len(waited) < 9

    walk_through(services, rules, wait)
    wait()
    followed.run()
    assert len(waited) < 9
    assert [followed.state(f"m{number}.tif") for number in range(5)] == ["published"] * 5


def test_a_page_of_masters_costs_one_batch_of_reads(followed: FollowedMasters) -> None:
    for number in range(20):
        followed.publish_one(key=f"m{number}.tif")
    # 36,000,000 masters that are as they should be: no read of a single one.
    none = frozenset({"head", "get", "read"})
    services = reconciler(
        followed,
        masters=Breaking(followed.services.masters, times=99, methods=none),
        outcomes=Breaking(followed.services.outcomes, times=99, methods=frozenset({"get"})),
    )
    rules = replace(services.rules(LATER), share=99)
    assert reconcile(services, rules, Cursor()).counts["masters"] == 20
