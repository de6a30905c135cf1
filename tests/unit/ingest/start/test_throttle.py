"""A burst waits in the queue: neither lost nor running all at once."""

import json
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from tests.rigs.clock import Clock
from vitrine.adapters.memory.faults import Breaking
from vitrine.adapters.memory.messaging import MemoryPipeline, MemoryQueue
from vitrine.ingest.services import IngestServices
from vitrine.ingest.start.start_ingest import StartResult
from vitrine.ingest.start.throttle import (
    FRESH_SECONDS,
    MAX_WAIT_SECONDS,
    MIN_WAIT_SECONDS,
    Throttle,
)
from vitrine.ingest.start.upload_hints import Hint, StarterServices, follow_hint

AT_ONCE = 40
STARTERS = 5


def test_a_pace_shares_what_is_free_among_the_starters() -> None:
    pipeline, clock = MemoryPipeline(), Clock()
    throttle = Throttle(pipeline, at_once=10, starters=2, clock=clock)
    for _ in range(5):
        assert throttle.may_start()
        assert throttle.take_slot()
    assert not throttle.may_start()
    assert not throttle.take_slot()
    throttle.give_slot_back()
    assert throttle.take_slot()
    clock.now += FRESH_SECONDS
    assert throttle.may_start()


def test_threads_of_a_starter_take_no_more_than_its_share() -> None:
    count = Barrier(8)
    throttle = Throttle(MemoryPipeline(), at_once=5, starters=1, clock=Clock())

    def take(_: int) -> bool:
        count.wait()
        return throttle.take_slot()

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(take, range(8))) == 5


def test_the_last_free_place_is_taken() -> None:
    pipeline = MemoryPipeline()
    for number in range(9):
        pipeline.start(str(number), {})
    assert Throttle(pipeline, at_once=10, starters=5).may_start()
    pipeline.start("9", {})
    assert not Throttle(pipeline, at_once=10, starters=5).may_start()


def test_without_a_limit_nobody_counts() -> None:
    assert Throttle(Breaking(MemoryPipeline(), times=9), at_once=0, starters=1).may_start()


def test_who_cannot_count_starts_nothing() -> None:
    assert not Throttle(Breaking(MemoryPipeline(), times=1), at_once=9, starters=1).may_start()


@pytest.mark.slow
def test_a_burst_of_ten_thousand_uploads_loses_none_and_never_exceeds_the_limit(
    services: IngestServices, tmp_path: Path
) -> None:
    """Five starters take batches in turn; executions end at random; some counts fail."""
    keys = [f"image {number}.tif" for number in range(10_000)]
    (tmp_path / "m").write_bytes(b"1")
    for key in keys:
        services.masters.upload(tmp_path / "m", key, content_type="", metadata={})
    pipeline, clock, chance = services.pipeline, Clock(), random.Random(1)
    assert isinstance(pipeline, MemoryPipeline)
    uploads = MemoryQueue()
    for key in keys:
        uploads.send(Hint(master_key=key).as_body())
    starters = [
        StarterServices(
            ingest=services,
            uploads=uploads,
            throttle=Throttle(
                Breaking(pipeline, every=50, methods=frozenset({"running"})),
                at_once=AT_ONCE,
                starters=STARTERS,
                clock=clock,
            ),
        )
        for _ in range(STARTERS)
    ]
    waiting = uploads.take()
    most = 0
    while uploads.length():
        for starter in starters:
            batch, waiting = waiting[:10], waiting[10:]
            for message in batch:
                follow_hint(starter, message.body)
                uploads.delete([message])
            most = max(most, len(pipeline.executions) - len(pipeline.ended))
        running = sorted(pipeline.executions.keys() - pipeline.ended)
        pipeline.ended |= set(chance.sample(running, len(running) // 2))
        clock.now += FRESH_SECONDS
        waiting = waiting or uploads.take()
    assert {request["master_key"] for request in pipeline.executions.values()} == set(keys)
    assert AT_ONCE / 2 < most <= AT_ONCE + STARTERS


def test_a_hint_that_must_wait_goes_back_into_the_queue_as_it_was(services: IngestServices) -> None:
    full = MemoryPipeline()
    full.start("other", {})
    uploads = MemoryQueue()
    starter = StarterServices(
        ingest=services, uploads=uploads, throttle=Throttle(full, at_once=1, starters=1)
    )
    body = Hint(master_key="Ä 1.tif", redrives="x").as_body()
    for waits in range(1, 20):
        assert follow_hint(starter, body) is StartResult.WAITING
        [message] = uploads.take()
        uploads.delete([message])
        body = message.body
        assert Hint.from_body(body) == Hint(master_key="Ä 1.tif", redrives="x", waits=waits)


@pytest.mark.parametrize(
    ("waiting", "at_once", "longest"),
    [(1, 100, 5), (100, 100, 5), (300, 100, 15), (900, 100, 45), (9_000, 900, 50), (9_000, 1, 120)],
)
def test_those_who_wait_come_back_as_fast_as_places_may_become_free(
    waiting: int, at_once: int, longest: int
) -> None:
    queue = MemoryQueue()
    for _ in range(waiting):
        queue.send("{}")
    throttle = Throttle(MemoryPipeline(), at_once=at_once, starters=1)
    waits = {throttle.wait_seconds(queue) for _ in range(2_000)}
    assert (min(waits), max(waits)) == (longest // 2, longest)
    assert longest <= MAX_WAIT_SECONDS < 900


def test_the_wait_follows_the_queue_and_is_long_when_nobody_knows() -> None:
    queue, clock = MemoryQueue(), Clock()
    throttle = Throttle(MemoryPipeline(), at_once=1, starters=1, clock=clock)
    unknown = Breaking(queue, times=1)
    assert throttle.wait_seconds(unknown) >= MAX_WAIT_SECONDS // 2
    clock.now += FRESH_SECONDS
    assert throttle.wait_seconds(unknown) <= MIN_WAIT_SECONDS


@pytest.mark.parametrize("body", ["", "[]", "{}", '{"detail": 1}', '{"detail": {"object": []}}'])
def test_what_is_no_hint_is_said_so(body: str) -> None:
    with pytest.raises(ValueError, match=r"not an event about an object|Expecting"):
        Hint.from_body(body)


def test_an_event_of_s3_is_a_hint() -> None:
    event = {"detail-type": "Object Created", "detail": {"object": {"key": "a b/ä.tif", "size": 3}}}
    assert Hint.from_body(json.dumps(event)) == Hint(master_key="a b/ä.tif")
