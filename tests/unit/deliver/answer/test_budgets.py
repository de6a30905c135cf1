"""Under pressure the costliest give way in their order, and no lane takes another's room."""

from contextlib import ExitStack

import pytest

from tests.rigs.clock import Clock
from vitrine.deliver.answer.budgets import MAX_GIVING_WAY, PATIENCE_SECONDS, Budget, Budgets
from vitrine.deliver.answer.cost import Cost, GivesWay, Lane
from vitrine.deliver.metrics.counters import Counters
from vitrine.deliver.render.pool import SLACK_SECONDS
from vitrine.errors import STATUS, Overloaded

SECOND = 1 / SLACK_SECONDS
"""Work of a second of a core."""
COLD = Cost(Lane.COLD, work=0.1 * SECOND, fetched_bytes=1 << 20)
COLD_LARGE = Cost(Lane.LARGE, work=SECOND, fetched_bytes=1)
LARGE = Cost(Lane.LARGE, work=SECOND)
LISTED = Cost(Lane.LARGE, work=SECOND, is_listed=True)
CHEAP = Cost(Lane.CHEAP, work=0.001 * SECOND)


class Bench:
    """Budgets of two cores, whose requests end when the test says so."""

    def __init__(self, *, refuses: bool = True) -> None:
        self.clock, self.counters = Clock(), Counters()
        self.budgets = Budgets(cores=2, refuses=refuses, counters=self.counters, clock=self.clock)
        self._number = 0

    def admit(self, stack: ExitStack, cost: Cost, work: str = "") -> bool:
        self._number += 1
        try:
            stack.enter_context(self.budgets.admission(work or str(self._number), cost))
        except Overloaded:
            return False
        return True

    def admit_all(self, stack: ExitStack, cost: Cost, most: int = 1_000) -> int:
        """Admit until one is refused, and return how many there were."""
        for number in range(most):
            if not self.admit(stack, cost):
                return number
        return most

    def counted(self, name: str) -> dict[str, float]:
        samples = self.counters.samples().items()
        return {key: value for key, value in samples if key.startswith(f"vitrine_{name}")}


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_a_day_in_which_nothing_got_done_is_survived(bench: Bench) -> None:
    with ExitStack() as stack:
        assert bench.admit(stack, LARGE)
        bench.clock.now += 24 * 3600
        assert not bench.admit(stack, LARGE)
        assert bench.counted("lane_wait_seconds")
    with ExitStack() as stack:
        assert bench.admit(stack, LARGE)


def test_sizes_of_cold_images_give_way_first_then_large_ones_of_cold_images_then_large_ones(
    bench: Bench,
) -> None:
    budget, order = bench.budgets._lanes[Lane.LARGE], list[GivesWay]()
    with ExitStack() as stack:
        while len(order) < 2:
            assert bench.admit(stack, LISTED), "never refused"
            for cost in (COLD_LARGE, LARGE):
                if cost.gives_way not in order and not budget.has_room("one more", cost):
                    order.append(cost.gives_way)
    assert order == [GivesWay.SECOND, GivesWay.THIRD]
    assert list(PATIENCE_SECONDS) == [GivesWay.FIRST, GivesWay.SECOND, GivesWay.THIRD]
    assert sorted(PATIENCE_SECONDS.values()) == list(PATIENCE_SECONDS.values())


def test_a_flooded_lane_takes_nothing_from_another(bench: Bench) -> None:
    with ExitStack() as stack:
        assert bench.admit_all(stack, LARGE) < 100
        assert not bench.admit(stack, LARGE)
        assert bench.admit(stack, COLD)
        assert bench.admit_all(stack, COLD) < 100
        assert not bench.admit(stack, COLD)
        assert bench.admit_all(stack, CHEAP) == 1_000, "what is cheap is never refused"


def test_a_budget_refills_as_fast_as_the_machine_gets_work_done(bench: Bench) -> None:
    """The same flood: twice as much is admitted of a machine that was seen to be twice as fast."""

    def admitted(seconds_each: float) -> int:
        for _ in range(100):
            with ExitStack() as stack:
                bench.admit(stack, LARGE)
                bench.clock.now += seconds_each
        with ExitStack() as stack:
            return bench.admit_all(stack, LARGE)

    slow, fast = admitted(1.0), admitted(0.5)
    assert slow == pytest.approx(25, abs=2)
    assert fast == pytest.approx(50, abs=3)


def test_a_machine_that_gets_nothing_done_admits_less_and_less(bench: Bench) -> None:
    with ExitStack() as stack:
        assert bench.admit(stack, LARGE)
        first = bench.budgets._lanes[Lane.LARGE].wait_seconds
        bench.clock.now += 60
        assert bench.budgets._lanes[Lane.LARGE].wait_seconds > 10 * first
        assert not bench.admit(stack, LARGE)
    assert bench.budgets._lanes[Lane.LARGE].wait_seconds == 0


def test_requests_for_the_same_work_share_one_cost(bench: Bench) -> None:
    with ExitStack() as stack:
        bench.admit(stack, LARGE, "same")
        once = bench.budgets._lanes[Lane.LARGE].wait_seconds
        assert all(bench.admit(stack, LARGE, "same") for _ in range(300))
        assert bench.budgets._lanes[Lane.LARGE].wait_seconds == once
        bench.admit_all(stack, LARGE)
        assert bench.admit(stack, LARGE, "same"), "one that joins others is never refused"


def test_half_of_those_that_may_wait_are_left_for_what_is_never_refused(bench: Bench) -> None:
    tiny = Cost(Lane.LARGE, work=1)
    with ExitStack() as stack:
        assert bench.admit_all(stack, tiny) == MAX_GIVING_WAY == 128


def test_a_refusal_says_when_to_come_again(bench: Bench) -> None:
    with ExitStack() as stack:
        bench.admit_all(stack, LARGE)
        with pytest.raises(Overloaded, match=r"info\.json lists") as refused:
            stack.enter_context(bench.budgets.admission("late", LARGE))
    assert STATUS[type(refused.value)] == 503
    assert 25 <= refused.value.retry_seconds <= 27


def test_a_shadow_refuses_nobody_and_counts_whom_it_would_have() -> None:
    acting, shadow = Bench(), Bench(refuses=False)
    with ExitStack() as stack:
        room = acting.admit_all(stack, LARGE)
        assert shadow.admit_all(stack, LARGE, 500) == 500
        counted = 'vitrine_gave_way_total{turn="third",result="counted",why="wait"}'
        assert shadow.counted("gave_way") == {counted: 500 - room}
        # Nobody is behind one who would have been refused.
        wait = 'vitrine_lane_wait_seconds{lane="large"}'
        assert shadow.counted(wait[8:]) == acting.counted(wait[8:])
    refused = 'vitrine_gave_way_total{turn="third",result="refused",why="wait"}'
    assert acting.counted("gave_way") == {refused: 1}


def test_three_hundred_readers_behind_one_address_are_not_refused(bench: Bench) -> None:
    """A class opens the same twenty images: tiles, listed sizes, and a large one of each."""
    refused = 0
    with ExitStack() as stack:
        for reader in range(300):
            image = reader % 20
            refused += not bench.admit(stack, LISTED, f"{image} listed")
            refused += not bench.admit(stack, LARGE, f"{image} large")
            refused += not bench.admit(stack, CHEAP, f"{image} thumbnail {reader}")
            refused += not bench.admit(stack, COLD, f"{image} cold")
    assert refused == 0


def test_what_requests_cost_is_counted_by_lane(bench: Bench) -> None:
    bench.budgets.count(Cost(Lane.STORED))
    with bench.budgets.admission("a", COLD_LARGE):
        pass
    priced = bench.counted("priced")
    assert priced['vitrine_priced_requests_total{lane="large"}'] == 1
    assert priced['vitrine_priced_requests_total{lane="stored"}'] == 1
    assert priced['vitrine_priced_bytes_total{lane="large"}'] == 1
    assert priced['vitrine_priced_core_seconds_total{lane="large"}'] == pytest.approx(1)
    assert priced['vitrine_priced_dollars_total{lane="large"}'] == pytest.approx(COLD_LARGE.usd)


def test_a_budget_is_empty_when_nothing_is_under_way_however_it_ended() -> None:
    clock = Clock()
    budget = Budget(2, clock)
    for done in (True, False):
        for number in range(10):
            budget.begin(str(number), COLD)
        for number in range(10):
            clock.now += 0.1
            budget.end(str(number), done=done)
        assert budget.wait_seconds == 0
