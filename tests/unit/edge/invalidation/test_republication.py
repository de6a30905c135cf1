"""What publishing a collection again costs, however many pollers read the queue of changes."""

from bisect import bisect_left
from dataclasses import dataclass

import pytest

from stacks.constructs.edge_invalidation import WINDOW_SECONDS
from tests.unit.edge.invalidation.invalidation_rig import SETTLED, Rig, make_rig
from tests.unit.edge.invalidation.quota_cloudfront import COMPLETION_SECONDS, changed
from vitrine.adapters.aws.edge_cache import ALL_IMAGES
from vitrine.costs.prices import price
from vitrine.costs.standing import POLLERS
from vitrine.edge.invalidation import PURGE_SECONDS
from vitrine.store.layout import cache_tag

pytestmark = pytest.mark.slow

SECONDS = 420
"""Length of a stream in the model."""
STEADY_AFTER = 120
"""Seconds after which as much leaves the queue as enters it."""
MILLION = 1_000_000
PATH = price("CloudFront, invalidated path", "eu-west-1").usd


@dataclass
class Stream:
    """Images that are published again, at a steady rate."""

    rig: Rig
    rate: int
    """Images in a second."""

    def send(self) -> None:
        self.rig.queue.expects_more = True
        for second in range(SECONDS):
            for number in range(self.rate):
                self.rig.queue.send(changed(f"{second} {number}", 2))
            if second == SECONDS // 2:
                self.rig.queue.send(changed("secret", 3, state="gone"))
            self.rig.time.wait(1)
        self.rig.queue.expects_more = False

    def dollars(self, images: int) -> float:
        """Return the price of as many images, from what left the queue in the steady part."""
        paths = sum(
            len(items) for at, items in self.rig.cloudfront.history if STEADY_AFTER <= at < SECONDS
        )
        return images / self.rate * paths / (SECONDS - STEADY_AFTER) * PATH


def run_stream(monkeypatch: pytest.MonkeyPatch, rate: int, pollers: int = POLLERS) -> Stream:
    stream = Stream(make_rig(monkeypatch), rate)
    stream.rig.work(stream.send, pollers=pollers)
    return stream


@pytest.mark.parametrize("pollers", [1, 2, POLLERS])
@pytest.mark.parametrize("rate", [5, 33, 150])
def test_a_million_images_published_again_cost_no_more_than_the_time_that_it_takes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], rate: int, pollers: int
) -> None:
    stream = run_stream(monkeypatch, rate, pollers)
    million = stream.dollars(MILLION)
    with capsys.disabled():
        by_tag = MILLION * PATH
        print(
            f"\n{rate} images/s, pollers {pollers}: a million for ${million:,.0f}, 36 million for"
            f" ${36 * million:,.0f} (by tags ${by_tag:,.0f} and ${36 * by_tag:,.0f})"
        )
    hours = MILLION / rate / 3600
    # A request of four wildcards every ten seconds, and the few withdrawals.
    assert million <= 1.05 * hours * 360 * len(ALL_IMAGES) * PATH + 0.02
    assert not stream.rig.queue.dead


@pytest.mark.parametrize("rate", [5, 33, 150])
def test_each_image_of_a_stream_is_dropped_in_time_and_after_all_gateways_know_it(
    monkeypatch: pytest.MonkeyPatch, rate: int
) -> None:
    stream = run_stream(monkeypatch, rate)
    history = stream.rig.cloudfront.history
    of_all = [at for at, items in history if items == ALL_IMAGES]
    tagged = {item: at for at, items in history for item in items if item.startswith("#")}
    longest = PURGE_SECONDS - COMPLETION_SECONDS
    for second in range(SECONDS):
        settled = second + SETTLED
        for number in range(rate):
            tag = f"#{cache_tag(f'{second} {number}')}"
            next_of_all = bisect_left(of_all, settled)
            dropped = tagged.get(tag) or of_all[next_of_all]
            assert settled <= dropped <= settled + longest, (second, number)


def test_a_withdrawal_in_a_stream_waits_for_no_slot(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = run_stream(monkeypatch, 33)
    at = stream.rig.cloudfront.ended[f"#{cache_tag('secret')}"]
    settled = SECONDS // 2 + SETTLED
    assert settled <= at <= settled + WINDOW_SECONDS + 2
