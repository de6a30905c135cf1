"""Thousands of changes within CloudFront's quotas: none is lost, none is forced through."""

import importlib
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from stacks.constructs.edge_invalidation import (
    PARALLEL,
    RECEIVES,
    TIMEOUT_SECONDS,
    WINDOW_SECONDS,
)
from tests.unit.edge.invalidation.quota_cloudfront import (
    PATHS_IN_PROGRESS,
    REQUESTS_PER_SECOND,
    DelayedQueue,
    QuotaCloudFront,
    changed,
)
from tests.unit.edge.invalidation.virtual_time import VirtualTime
from vitrine.adapters.aws.edge_cache import ALL_IMAGES, CloudFrontEdgeCache
from vitrine.edge.invalidation import AT_ONCE, MAX_TAGS, InvalidateServices, settled_seconds
from vitrine.settings import DeliverOptions
from vitrine.store.layout import cache_tag

CHANGES = 10_000
HOUR = 3_600
TTL = DeliverOptions().identifier_ttl_seconds


@dataclass
class Context:
    """What Lambda tells a handler of itself."""

    function_name: str = "invalidate_edge"
    memory_limit_in_mb: int = 512
    invoked_function_arn: str = "arn:aws:lambda:eu-west-1:000000000000:function:invalidate_edge"
    aws_request_id: str = "1"


@dataclass
class Rig:
    """The function behind its queue, before a CloudFront with quotas; all as the stack has it."""

    time: VirtualTime
    cloudfront: QuotaCloudFront
    queue: DelayedQueue
    invoke: Callable[[dict[str, Any]], dict[str, Any]]

    def work(self) -> float:
        """Until the queue is empty; when the last invalidation was taken."""
        self.time.run(*[lambda: self.queue.poll(self.invoke)] * PARALLEL)
        return max(self.cloudfront.ended.values(), default=0.0)


@pytest.fixture
def rig(monkeypatch: pytest.MonkeyPatch) -> Rig:
    random.seed(6)
    time = VirtualTime()
    cloudfront = QuotaCloudFront(time)
    services = InvalidateServices(edge=CloudFrontEdgeCache(cloudfront, "E1"), wait=time.wait)
    module = importlib.import_module("lambdas.invalidate_edge.handler")
    monkeypatch.setattr(module, "invalidate_services", lambda: services)

    def invoke(event: dict[str, Any]) -> dict[str, Any]:
        begun = time.now
        try:
            answer: dict[str, Any] = module.handler(event, Context())
        finally:
            assert time.now - begun < TIMEOUT_SECONDS, "Lambda would have ended it"
        return answer

    queue = DelayedQueue(
        time,
        delay_seconds=settled_seconds(TTL),
        visibility_seconds=6 * TIMEOUT_SECONDS,
        receives=RECEIVES,
        batch=AT_ONCE,
        window_seconds=WINDOW_SECONDS,
    )
    return Rig(time, cloudfront, queue, invoke)


def items(count: int) -> set[str]:
    return {f"#{cache_tag(str(number))}" for number in range(count)}


def assert_dropped(cloudfront: QuotaCloudFront, count: int) -> None:
    """Each image was dropped after all gateways knew of its change."""
    wildcard = min(cloudfront.ended.get(one, 0.0) for one in ALL_IMAGES)
    for item in items(count):
        assert max(cloudfront.ended.get(item, 0.0), wildcard) >= settled_seconds(TTL), item


def test_ten_thousand_changes_at_once_are_all_invalidated_within_the_quotas(
    rig: Rig, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(CHANGES):
        rig.queue.send(changed(str(number), 2))
    last = rig.work()
    assert_dropped(rig.cloudfront, CHANGES)
    assert rig.cloudfront.most_in_progress <= PATHS_IN_PROGRESS
    assert not rig.queue.dead
    # Full batches but for the last, of which two may be in progress at a time.
    assert rig.cloudfront.requests - rig.cloudfront.refusals == math.ceil(CHANGES / AT_ONCE)
    with capsys.disabled():
        one_by_one = CHANGES / REQUESTS_PER_SECOND / HOUR
        print(
            f"\n{CHANGES:,} changes at once: all invalidated {last:.0f} s after them, by"
            f" {rig.cloudfront.requests} requests, {rig.cloudfront.refusals} of them refused;"
            f" one request each would take {one_by_one:.1f} h"
        )


def test_what_comes_twice_or_changes_twice_is_invalidated_once(rig: Rig) -> None:
    for number in range(MAX_TAGS):
        rig.queue.send(changed(str(number), 2))
        rig.queue.send(changed(str(number), 2))
    for number in range(MAX_TAGS // 2):
        rig.queue.send(changed(str(number), 3))
    rig.work()
    assert set(rig.cloudfront.ended) == items(MAX_TAGS)
    assert rig.cloudfront.most_in_progress == MAX_TAGS


def test_an_hour_of_refusals_loses_nothing(rig: Rig) -> None:
    rig.cloudfront.closed_until = HOUR
    for number in range(3_500):
        rig.queue.send(changed(str(number), 2))
    last = rig.work()
    assert_dropped(rig.cloudfront, 3_500)
    assert not rig.queue.dead
    assert last < HOUR + 8 * TIMEOUT_SECONDS


def test_what_is_refused_for_hours_and_hours_goes_to_the_dead_letters(rig: Rig) -> None:
    rig.cloudfront.closed_until = 1_000 * HOUR
    rig.queue.send(changed("a", 2))
    rig.work()
    assert len(rig.queue.dead) == 1
    assert rig.queue.dead_at > 9 * HOUR


def test_an_unreadable_message_holds_up_no_other(rig: Rig) -> None:
    rig.queue.send("no event")
    rig.queue.send(changed("0", 2))
    rig.work()
    assert set(rig.cloudfront.ended) == items(1)
    assert rig.queue.dead == ["no event"]
