"""Thousands of changes within CloudFront's quotas: none is lost, none is forced through."""

import pytest

from stacks.constructs.edge_invalidation import TIMEOUT_SECONDS, WINDOW_SECONDS
from tests.unit.edge.invalidation.invalidation_rig import SETTLED, Rig, make_rig
from tests.unit.edge.invalidation.quota_cloudfront import (
    PATHS_IN_PROGRESS,
    REQUESTS_PER_SECOND,
    WILDCARDS_IN_PROGRESS,
    QuotaCloudFront,
    changed,
)
from vitrine.adapters.aws.edge_cache import ALL_IMAGES
from vitrine.edge.invalidation import MAX_TAGS
from vitrine.errors import TransientError
from vitrine.store.layout import cache_tag

pytestmark = pytest.mark.slow

CHANGES = 10_000
HOUR = 3_600


@pytest.fixture
def rig(monkeypatch: pytest.MonkeyPatch) -> Rig:
    return make_rig(monkeypatch)


def items(count: int) -> set[str]:
    return {f"#{cache_tag(str(number))}" for number in range(count)}


def assert_dropped(cloudfront: QuotaCloudFront, count: int) -> None:
    """Each image was dropped after all gateways knew of its change."""
    wildcard = min(cloudfront.ended.get(one, 0.0) for one in ALL_IMAGES)
    for item in items(count):
        assert max(cloudfront.ended.get(item, 0.0), wildcard) >= SETTLED, item


def test_ten_thousand_changes_at_once_are_all_invalidated_within_the_quotas(
    rig: Rig, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(CHANGES):
        rig.queue.send(changed(str(number), 2))
    last = rig.work()
    assert_dropped(rig.cloudfront, CHANGES)
    assert rig.cloudfront.most_in_progress <= PATHS_IN_PROGRESS
    assert not rig.queue.dead
    assert rig.cloudfront.refusals == 0
    made = sum(len(named) for _, named in rig.cloudfront.history)
    assert made <= 2 * WILDCARDS_IN_PROGRESS
    with capsys.disabled():
        one_by_one = CHANGES / REQUESTS_PER_SECOND / HOUR
        print(
            f"\n{CHANGES:,} changes at once: all invalidated {last:.0f} s after them, by"
            f" {rig.cloudfront.requests} requests, {made} paths in all;"
            f" one request each would take {one_by_one:.1f} h"
        )


def test_what_comes_twice_or_changes_twice_is_invalidated_once(rig: Rig) -> None:
    for number in range(MAX_TAGS):
        rig.queue.send(changed(str(number), 2))
        rig.queue.send(changed(str(number), 2))
    for number in range(MAX_TAGS // 2):
        rig.queue.send(changed(str(number), 3))
    rig.work(pollers=1)
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


def test_a_queue_that_does_not_say_its_length_holds_up_no_withdrawal(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> int:
        raise TransientError("queue: throttled")

    monkeypatch.setattr(rig.queue, "length", fail)
    rig.queue.send(changed("0", 2, state="gone"))
    last = rig.work()
    assert set(rig.cloudfront.ended) == items(1)
    assert last <= SETTLED + WINDOW_SECONDS + 2


def test_an_unreadable_message_holds_up_no_other(rig: Rig) -> None:
    rig.queue.send("no event")
    rig.queue.send(changed("0", 2))
    rig.work()
    assert set(rig.cloudfront.ended) == items(1)
    assert rig.queue.dead == ["no event"]
