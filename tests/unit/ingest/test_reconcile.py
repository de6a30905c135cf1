"""The reconciler: what no event told of is found, and what is right is left alone."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from followed_masters import IDENTIFIER, KEY, FollowedMasters

from vitrine.adapters.memory.faults import Breaking
from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.adapters.memory.messaging import MemoryQueue
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import Rejection, TransientError
from vitrine.ingest import reconcile_masters
from vitrine.ingest.hints import Hint, StarterServices
from vitrine.ingest.messages import IngestMaster
from vitrine.ingest.outcome import State
from vitrine.ingest.pace import Pace
from vitrine.ingest.reconcile import Place, ReconcileServices, Walk, reconcile, walk_through
from vitrine.ingest.record import record_outcome
from vitrine.ingest.services import IngestServices
from vitrine.store.layout import SUPERSEDED_TAG

LATER = datetime.now(UTC) + timedelta(days=2)
"""When everything that runs in these tests must have ended."""
TIMEOUT = 7_200


@pytest.fixture
def bed(services: IngestServices) -> FollowedMasters:
    return FollowedMasters(services)


def reconciler(bed: FollowedMasters, at_once: int = 0, **ports: Any) -> ReconcileServices:
    services = replace(bed.services, **ports)
    pace = Pace(services.pipeline, at_once=at_once, starters=1)
    starter = StarterServices(ingest=services, uploads=MemoryQueue(), pace=pace)
    return ReconcileServices(starter=starter, execution_timeout_seconds=TIMEOUT)


def walk(
    bed: FollowedMasters, moment: datetime | None = None, dry_run: bool = False
) -> dict[str, int]:
    """What one walk over everything found, without what it found none of."""
    services = reconciler(bed)
    rules = services.rules(moment or datetime.now(UTC), dry_run=dry_run)
    counts = walk_through(services, rules, wait=lambda: False)
    return {name: count for name, count in counts.items() if count}


def test_a_master_that_no_event_told_of_is_ingested(bed: FollowedMasters) -> None:
    bed.upload()
    assert walk(bed) == {"masters": 1, "started": 1}
    bed.run()
    assert bed.answer() == "live"


def test_a_second_walk_finds_nothing_to_do(bed: FollowedMasters) -> None:
    bed.upload(key="a.tif")
    bed.upload(key="b.tif")
    bed.publish_one(key="c.tif")
    bed.masters.delete("c.tif")
    assert walk(bed) == {"masters": 2, "started": 2, "withdrawing": 1, "access_masters": 1}
    assert walk(bed) == {"masters": 2, "access_masters": 1}
    bed.run()
    bed.grace_ends()
    for moment in (None, LATER):
        assert walk(bed, moment) == {"masters": 2, "access_masters": 3}


def test_a_newer_version_that_no_event_told_of_is_ingested(bed: FollowedMasters) -> None:
    old = bed.publish_one(b"1")
    bed.upload(b"2")
    assert walk(bed) == {"masters": 1, "started": 1, "access_masters": 1}
    bed.run()
    assert bed.superseded() == {old.access_master_key}


def test_an_ingest_that_never_ended_is_started_again(bed: FollowedMasters) -> None:
    bed.upload()
    bed.event()
    [lost] = bed.started()
    bed.ran.add(lost.execution)
    assert walk(bed) == {"masters": 1}
    assert walk(bed, LATER) == {"masters": 1, "restarted": 1}
    bed.run()
    assert (bed.answer(), bed.state()) == ("live", "published")


def test_an_ingest_that_never_ends_is_started_again_and_again(bed: FollowedMasters) -> None:
    bed.upload()
    bed.event()
    for days in range(1, 5):
        for request in bed.started():
            bed.ran.add(request.execution)
        assert walk(bed, LATER + timedelta(days=days)) == {"masters": 1, "restarted": 1}
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
    assert walk(bed, LATER) == {"masters": 1}


def test_a_master_that_was_restored_unnoticed_is_begun_anew(bed: FollowedMasters) -> None:
    bed.publish_one()
    bed.masters.delete(KEY)
    bed.event()
    bed.grace_ends()
    bed.masters.restore(KEY)
    assert walk(bed)["restarted"] == 1
    bed.run()
    assert (bed.answer(), bed.state()) == ("live", "published")


def test_a_deletion_that_no_event_told_of_is_followed(bed: FollowedMasters) -> None:
    bed.publish_one()
    bed.masters.delete(KEY)
    assert walk(bed)["withdrawing"] == 1
    bed.grace_ends()
    assert (bed.answer(), bed.state()) == ("gone", "withdrawn")
    assert walk(bed) == {"access_masters": 1}


def test_a_withdrawal_that_failed_is_tried_anew_once_a_day(bed: FollowedMasters) -> None:
    bed.publish_one()
    bed.masters.delete(KEY)
    bed.event()
    [failed] = bed.withdrawing()
    bed.ran.add(failed.execution)
    assert "withdrawing" not in walk(bed)
    assert walk(bed, LATER)["withdrawing"] == 1
    assert "withdrawing" not in walk(bed, LATER)
    assert walk(bed, LATER + timedelta(days=1))["withdrawing"] == 1
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
    assert walk(bed) == {"access_masters": 1, "withdrawing": 1}
    bed.grace_ends()
    assert bed.answer() == "gone"


def test_each_image_is_looked_at_closely_once_a_month(bed: FollowedMasters) -> None:
    services = reconciler(bed)
    days = [services.rules(LATER + timedelta(days=day), rotate=True) for day in range(30)]
    for name in ("nachtwache", "SK-C-5", "日本"):
        assert sum(rules.looks_closely_at(name) for rules in days) == 1


def test_folders_and_strange_keys_are_no_trouble(bed: FollowedMasters) -> None:
    bed.upload(b"", "folder/")
    bed.services.access_masters.put("readme.txt", b"1", content_type="")
    assert walk(bed) == {"masters": 1}
    assert bed.started() == []


def test_a_crash_between_publication_and_tag_is_made_good(bed: FollowedMasters) -> None:
    old = bed.publish_one(b"1")
    bed.upload(b"2")
    bed.event()
    [request] = bed.started()
    broken = Breaking(bed.services.access_masters, times=1, methods=frozenset({"tag"}))
    cut = FollowedMasters(replace(bed.services, access_masters=broken))
    cut.publish(bed.convert(request))
    assert bed.superseded() == set()
    assert walk(bed) == {"masters": 1, "access_masters": 2}
    assert walk(bed, LATER) == {"masters": 1, "access_masters": 2, "superseded": 1}
    assert bed.superseded() == {old.access_master_key}
    assert walk(bed, LATER) == {"masters": 1, "access_masters": 2}


def test_a_live_access_master_loses_its_tag(bed: FollowedMasters) -> None:
    image = bed.publish_one()
    bed.services.access_masters.tag(image.access_master_key, SUPERSEDED_TAG)
    assert walk(bed)["kept"] == 1
    assert bed.superseded() == set()


def test_an_image_whose_access_master_was_deleted_gets_another(bed: FollowedMasters) -> None:
    image = bed.publish_one()
    store = bed.services.access_masters
    assert isinstance(store, MemoryObjectStore)
    store.delete(image.access_master_key)
    assert walk(bed)["restarted"] == 1
    bed.run()
    assert store.head(image.access_master_key).size == 1
    assert bed.services.identifiers.get(IDENTIFIER) == image
    assert (bed.state(), "restarted" in walk(bed)) == ("published", False)
    store.delete(image.access_master_key)
    assert walk(bed)["restarted"] == 1, "once more, should it be needed"


def test_a_superseded_access_master_that_expired_is_not_missed(bed: FollowedMasters) -> None:
    image = bed.publish_one(b"1")
    bed.publish_one(b"2")
    assert isinstance(bed.services.access_masters, MemoryObjectStore)
    bed.services.access_masters.delete(image.access_master_key)
    assert "restarted" not in walk(bed)


def test_a_lost_table_costs_no_image(bed: FollowedMasters) -> None:
    bed.publish_one()
    bed.publish_one(key="b.tif")
    bed = FollowedMasters(replace(bed.services, identifiers=MemoryIdentifierTable()))
    walk(bed, LATER)
    assert bed.superseded() == set()


def test_a_lost_table_and_a_lost_journal_cost_no_image(bed: FollowedMasters) -> None:
    bed.publish_one()
    lost = replace(bed.services, identifiers=MemoryIdentifierTable(), records=MemoryObjectStore())
    bed = FollowedMasters(lost)
    walk(bed, LATER)
    assert bed.superseded() == set()


def test_what_was_converted_and_never_published_expires(bed: FollowedMasters) -> None:
    bed.publish_one(key="b.tif")
    bed.upload()
    bed.event()
    [request] = bed.started()
    made = bed.convert(request)
    bed.upload(b"no image")
    [newer] = _started_by_event(bed, but=request.execution)
    record_outcome(bed.services, newer, "rejected", Rejection("not-an-image", "It is none."))
    assert walk(bed) == {"masters": 2, "access_masters": 2}
    assert walk(bed, LATER) == {"masters": 2, "access_masters": 2, "superseded": 1}
    assert bed.superseded() == {made.access_master_key}
    assert walk(bed, LATER) == {"masters": 2, "access_masters": 2}


def _started_by_event(bed: FollowedMasters, but: str) -> list[IngestMaster]:
    bed.event()
    return [request for request in bed.started() if request.execution != but]


def test_a_dry_run_counts_and_does_nothing(bed: FollowedMasters) -> None:
    bed.publish_one(key="a.tif")
    bed.masters.delete("a.tif")
    bed.publish_one(key="gone.tif")
    bed.masters.purge("gone.tif")
    kept = bed.publish_one(b"1", "kept.tif")
    bed.services.access_masters.tag(kept.access_master_key, SUPERSEDED_TAG)
    bed.upload(key="b.tif")
    bed.upload(key="folder/", body=b"")
    before = bed.superseded()
    found = walk(bed, LATER, dry_run=True)
    assert found == {
        "masters": 3,
        "started": 1,
        "withdrawing": 2,
        "access_masters": 3,
        "kept": 1,
    }
    assert (bed.started(), bed.withdrawing(), bed.superseded()) == ([], [], before)
    assert walk(bed, LATER) == found


def test_a_run_goes_on_where_the_last_one_stopped(
    bed: FollowedMasters, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = [f"{number:02}.tif" for number in range(10)]
    for key in keys:
        bed.upload(key=key)
    pages(bed, monkeypatch, 3)
    services = reconciler(bed)
    place, counts, runs = Place(), Counter[str](), 0
    while place.walk is not Walk.DONE:
        more_time = iter([True, False]).__next__
        run = reconcile(services, services.rules(LATER), place, more_time)
        counts.update(run.counts)
        place = Place.from_json(run.as_json()["place"])
        runs += 1
    assert runs == 5
    assert (counts["masters"], counts["started"]) == (10, 10)


def test_a_page_that_fails_is_done_by_the_next_run(bed: FollowedMasters) -> None:
    for number in range(10):
        bed.upload(key=f"m{number}.tif")
    broken = Breaking(bed.services.pipeline, every=4, methods=frozenset({"start"}))
    services = reconciler(bed, pipeline=broken)
    failures = 0
    for _ in range(10):
        try:
            reconcile(services, services.rules(datetime.now(UTC)), Place())
            break
        except TransientError:
            failures += 1
    assert failures
    walk(bed, LATER)
    bed.run()
    assert [bed.state(f"m{number}.tif") for number in range(10)] == ["published"] * 10


def test_what_cannot_be_started_yet_waits_in_the_queue(bed: FollowedMasters) -> None:
    for number in range(5):
        bed.upload(key=f"m{number}.tif")
    services = reconciler(bed, at_once=2)
    run = reconcile(services, services.rules(datetime.now(UTC)), Place())
    assert run.done
    assert (run.counts["started"], run.counts["queued"]) == (2, 3)
    queue = services.starter.uploads
    assert isinstance(queue, MemoryQueue)
    hints = [Hint.from_body(body).master_key for body in queue.messages]
    assert hints == ["m2.tif", "m3.tif", "m4.tif"]


def test_a_full_queue_makes_the_walk_wait(
    bed: FollowedMasters, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        bed.upload(key=f"m{number}.tif")
    monkeypatch.setattr(reconcile_masters, "FULL", 1)
    services = reconciler(bed, at_once=1)
    rules = services.rules(datetime.now(UTC))
    run = reconcile(services, rules, Place())
    assert (run.crowded, run.done, run.place) == (True, False, Place())
    waited: list[int] = []

    def wait() -> bool:
        waited.append(1)
        for message in services.starter.uploads.take():
            bed.event(Hint.from_body(message.body).master_key)
            services.starter.uploads.delete(message)
        return len(waited) < 9

    walk_through(services, rules, wait)
    wait()
    bed.run()
    assert len(waited) < 9
    assert [bed.state(f"m{number}.tif") for number in range(5)] == ["published"] * 5


def test_a_page_of_masters_costs_one_batch_of_reads(bed: FollowedMasters) -> None:
    for number in range(20):
        bed.publish_one(key=f"m{number}.tif")
    # 36,000,000 masters that are as they should be: no read of a single one.
    none = frozenset({"head", "get", "read"})
    services = reconciler(
        bed,
        masters=Breaking(bed.services.masters, times=99, methods=none),
        outcomes=Breaking(bed.services.outcomes, times=99, methods=frozenset({"get"})),
    )
    rules = replace(services.rules(LATER), share=99)
    assert reconcile(services, rules, Place()).counts["masters"] == 20


def pages(bed: FollowedMasters, monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    """Let listings have pages of so many keys."""
    list_keys = bed.masters.list_keys
    monkeypatch.setattr(bed.masters, "list_keys", lambda after: list_keys(after, limit))
