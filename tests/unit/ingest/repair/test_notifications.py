"""What the bus lost is found within minutes by what S3 itself reported, however many masters."""

import json
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote_plus

import pytest

from tests.unit.ingest.followed_masters import FollowedMasters
from tests.unit.ingest.walked import reconciler
from vitrine.adapters.memory.faults import Breaking
from vitrine.adapters.memory.messaging import MemoryQueue
from vitrine.errors import TransientError
from vitrine.ingest.repair import patrol as patrols
from vitrine.ingest.repair.notifications import Notification, parse_notifications
from vitrine.ingest.repair.patrol import patrol
from vitrine.slices import Slice

SOON = timedelta(minutes=10)
MANY = 10_000


class Counting:
    """A port whose calls are counted by their names."""

    def __init__(self, port: Any) -> None:
        self._port = port
        self.calls: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Any:
        self.calls[name] += 1
        return getattr(self._port, name)


@pytest.fixture
def queue() -> MemoryQueue:
    return MemoryQueue()


def report(queue: MemoryQueue, followed: FollowedMasters, key: str, event: str = "") -> None:
    """Send what S3 reports of the key's newest version."""
    page = followed.masters.list_keys()
    newest = next((item for item in page.entries if item.key == key), None)
    removed = newest is None or newest.deleted
    event = event or ("ObjectRemoved:DeleteMarkerCreated" if removed else "ObjectCreated:Put")
    queue.send(message(key, newest.version if newest else "v", event))


def message(key: str, version: str, event: str = "ObjectCreated:Put") -> str:
    item = {"key": quote_plus(key, safe="/"), "versionId": version}
    return json.dumps({"Records": [{"eventName": event, "s3": {"object": item}}]})


def patrol_soon(followed: FollowedMasters, queue: MemoryQueue, **ports: Any) -> dict[str, int]:
    """Patrol while uploads wait, so that nothing is found by listing."""
    services = replace(reconciler(followed, **ports), notifications=queue)
    services.starter.uploads.send("{}")
    counts = patrol(services, services.rules(datetime.now(UTC) + SOON))
    return {name: count for name, count in counts.items() if count}


def publish_many(followed: FollowedMasters, number: int) -> None:
    """Let a number of masters lie there as if each had been published long ago."""
    image = followed.publish_one(key="0.tif")
    outcome = followed.services.outcomes.get("0.tif")
    assert outcome
    for index in range(1, number):
        key = f"{index}.tif"
        info = followed.masters.put(key, b"1", content_type="image/tiff")
        followed.services.outcomes.record(
            replace(outcome, master_key=key, master_version=info.version, identifier=str(index))
        )
    assert image.identifier == "0"


def test_a_lost_upload_is_found_within_minutes_among_ten_thousand_masters(
    followed: FollowedMasters, queue: MemoryQueue
) -> None:
    publish_many(followed, MANY)
    followed.upload(key="lost.tif")
    queue.send(message("lost.tif", followed.masters.head("lost.tif").version))
    masters, outcomes = Counting(followed.services.masters), Counting(followed.services.outcomes)
    found = patrol_soon(followed, queue, masters=masters, outcomes=outcomes)
    assert found == {"masters": 1, "started": 1}
    # As few calls as among one master.
    assert masters.calls == {"head": 1}
    assert sum(outcomes.calls.values()) <= 6
    followed.run()
    assert followed.answer("lost") == "live"
    assert queue.messages == []


def test_ten_thousand_uploads_whose_events_came_cost_ten_reads_of_outcomes(
    followed: FollowedMasters, queue: MemoryQueue
) -> None:
    publish_many(followed, MANY)
    for item in followed.masters.list_keys("", MANY).entries:
        queue.send(message(item.key, item.version))
    masters, outcomes = Counting(followed.services.masters), Counting(followed.services.outcomes)
    assert patrol_soon(followed, queue, masters=masters, outcomes=outcomes) == {"masters": MANY}
    assert masters.calls == {}
    pages = MANY // patrols.TAKEN_AT_ONCE
    assert outcomes.calls == {"by_state": 1, "get_many": 2 * pages}
    assert queue.messages == []


def test_a_lost_deletion_is_found_within_minutes(
    followed: FollowedMasters, queue: MemoryQueue
) -> None:
    followed.publish_one(key="a.tif")
    followed.masters.delete("a.tif")
    report(queue, followed, "a.tif")
    assert patrol_soon(followed, queue) == {"withdrawing": 1}
    assert followed.grace_ends() == ["withdrawn"]
    report(queue, followed, "a.tif")
    assert patrol_soon(followed, queue) == {}


def test_a_master_whose_versions_were_all_deleted_is_withdrawn(
    followed: FollowedMasters, queue: MemoryQueue
) -> None:
    followed.publish_one(key="a.tif")
    followed.masters.purge("a.tif")
    report(queue, followed, "a.tif", "ObjectRemoved:Delete")
    assert patrol_soon(followed, queue) == {"withdrawing": 1}


def test_a_replaced_master_is_ingested_once_whatever_order_the_reports_come_in(
    followed: FollowedMasters, queue: MemoryQueue
) -> None:
    followed.publish_one(b"1", "a.tif")
    first = followed.masters.head("a.tif").version
    followed.upload(b"2", "a.tif")
    second = followed.masters.head("a.tif").version
    for version in (second, first, second):
        queue.send(message("a.tif", version, "ObjectCreated:CompleteMultipartUpload"))
    assert patrol_soon(followed, queue)["started"] == 1
    [request] = followed.started()
    assert request.master_version == second


def test_what_may_not_start_yet_stays_reported(
    followed: FollowedMasters, queue: MemoryQueue
) -> None:
    followed.upload(key="running.tif")
    followed.event("running.tif")
    followed.upload(key="a.tif")
    report(queue, followed, "a.tif")
    services = replace(reconciler(followed, at_once=1), notifications=queue)
    patrol(services, replace(services.rules(datetime.now(UTC)), lost_before=""))
    assert len(queue.messages) == 1
    assert [request.master_key for request in followed.started()] == ["running.tif"]


def test_what_a_failed_patrol_was_following_is_reported_again(
    followed: FollowedMasters, queue: MemoryQueue
) -> None:
    followed.upload(key="a.tif")
    report(queue, followed, "a.tif")
    broken = Breaking(followed.services.pipeline, times=1, methods=frozenset({"start"}))
    with pytest.raises(TransientError):
        patrol_soon(followed, queue, pipeline=broken)
    assert len(queue.messages) == 1


def test_a_patrol_that_has_no_time_left_leaves_the_rest(
    followed: FollowedMasters, queue: MemoryQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patrols, "TAKEN_AT_ONCE", 2)
    for name in "abcde":
        followed.upload(key=f"{name}.tif")
        report(queue, followed, f"{name}.tif")
    services = replace(reconciler(followed), notifications=queue)
    services.starter.uploads.send("{}")
    run = Slice(iter([1, 1, 0]).__next__)
    counts = patrol(services, services.rules(datetime.now(UTC)), run)
    assert (counts["started"], len(queue.messages)) == (4, 1)


def test_keys_are_decoded_as_s3_encodes_them() -> None:
    key = "Fotos 1901/Bär + Löwe%.tif"
    [found] = parse_notifications(message(key, "v1"))
    assert found == Notification(key=key, version="v1", created=True)


@pytest.mark.parametrize(
    "body",
    [
        '{"Service": "Amazon S3", "Event": "s3:TestEvent", "Bucket": "masters"}',
        "",
        "[]",
        "null",
        '{"Records": [null]}',
        '{"Records": [{"eventName": "ObjectCreated:Put"}]}',
        message("%FF", "v").replace("%25FF", "%FF"),
        message("a.tif", "v", "ObjectTagging:Put"),
    ],
)
def test_what_reports_no_master_is_passed_over(
    body: str, followed: FollowedMasters, queue: MemoryQueue
) -> None:
    assert parse_notifications(body) == []
    queue.send(body)
    assert patrol_soon(followed, queue) == {}
    assert queue.messages == []
