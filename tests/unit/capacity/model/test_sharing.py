"""Cores shared by weight."""

from collections.abc import Callable
from typing import Any

import pytest

from capacity.engine.clock import SECOND, Clock, to_nanoseconds
from capacity.engine.sharing import WeightedSharing
from capacity.engine.streams import Streams, draw_exponential, draw_uniform


def _departures(
    cores: float, arrivals: list[tuple[int, int, int]], weights: tuple[float, ...] = (1.0, 0.25)
) -> tuple[dict[int, int], float]:
    """When each of (time, demand, group) leaves, and the nanoseconds of cores they took."""
    clock = Clock()
    station = WeightedSharing(clock, cores, weights)
    left: dict[int, int] = {}
    for number, (at, demand, group) in enumerate(arrivals):

        def arrive(number: int, demand: int = demand, group: int = group) -> None:
            station.serve(demand, lambda n: left.update({n: clock.now}), number, group)

        clock.after(at, arrive, number)
    clock.run()
    return left, station.spent_ns


def test_who_is_alone_has_one_core_and_no_more() -> None:
    assert _departures(4, [(5, 100, 0)]) == ({0: 105}, 100)
    assert _departures(0.5, [(5, 100, 0)]) == ({0: 205}, 100)


def test_equals_share_evenly() -> None:
    left, spent = _departures(1, [(0, 100, 0), (0, 100, 0)])
    assert left == {0: 200, 1: 200}
    assert spent == pytest.approx(200)


def test_niced_ones_get_their_weight_next_to_a_normal_one_and_all_when_alone() -> None:
    left, spent = _departures(1, [(0, 80, 0), (0, 100, 1)])
    # 4 : 1 until the normal one is done, which leaves 80 of the other's 100.
    assert left == {0: 100, 1: 180}
    assert spent == pytest.approx(180)


def test_a_core_that_normal_ones_leave_free_is_the_niced_ones() -> None:
    left, _ = _departures(2, [(0, 100, 0), (0, 100, 1), (0, 100, 1)])
    assert left[0] == 100
    assert left[1] == left[2] == 150


def test_each_gets_its_weight_and_none_more_than_a_core() -> None:
    station = WeightedSharing(Clock(), 2, (1.0, 0.5, 0.25))
    assert station.shares(1, 1, 1) == pytest.approx((1.0, 2 / 3, 1 / 3))
    assert station.shares(0, 1, 2) == pytest.approx((1.0, 1.0, 0.5))
    assert station.shares(2, 2, 4) == pytest.approx((0.5, 0.25, 0.125))
    assert station.shares(1, 0, 1) == (1.0, 1.0, 1.0)


def test_what_was_spent_grows_with_time_and_not_with_arrivals() -> None:
    clock = Clock()
    station = WeightedSharing(clock, 1)
    station.serve(1_000, lambda subject: None)
    clock.run(until=300)
    assert station.spent_ns == pytest.approx(300)


@pytest.mark.parametrize(
    "demand",
    [lambda draws: draw_exponential(draws, 0.7), lambda draws: draw_uniform(draws, 0.4, 1.0)],
)
def test_one_class_is_the_queue_of_theory_whatever_the_demands_distribution(
    demand: Callable[[Any], float],
) -> None:
    """M/G/1 with processor sharing: the mean response is demand / (1 - load)."""
    clock, draws = Clock(), Streams(3).stream("theory")
    station, responses = WeightedSharing(clock, 1), list[float]()

    def arrive(event: Any) -> None:
        station.serve(to_nanoseconds(demand(draws)), leave, clock.now)
        if len(responses) < 40_000:
            clock.after(to_nanoseconds(draw_exponential(draws, 1.4)), arrive)

    def leave(arrived: int) -> None:
        responses.append((clock.now - arrived) / SECOND)

    clock.after(0, arrive)
    clock.run()
    assert sum(responses) / len(responses) == pytest.approx(0.7 / (1 - 0.5), rel=0.05)
