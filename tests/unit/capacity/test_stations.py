from collections.abc import Callable, Generator, Sequence
from typing import Any

import pytest

from capacity.engine.clock import Clock, to_nanoseconds
from capacity.engine.stations import (
    Cores,
    ProcessorSharing,
    SingleServer,
    StationPool,
    TokenBucket,
)


def _departures(
    station: Callable[[Clock], Any], arrivals: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """(number, time) of each departure, for arrivals of (time, service)."""
    clock = Clock()
    served, left = station(clock), list[tuple[int, int]]()
    for number, (at, service) in enumerate(arrivals):

        def arrive(job: int, service: int = service) -> None:
            served.serve(service, lambda done: left.append((done, clock.now)), job)

        clock.after(at, arrive, number)
    clock.run()
    return left


def test_one_server_takes_one_after_the_other() -> None:
    assert _departures(SingleServer, [(0, 10), (1, 5), (40, 2)]) == [(0, 10), (1, 15), (2, 42)]


def test_requests_on_one_core_share_it_evenly() -> None:
    found = _departures(
        lambda clock: ProcessorSharing(clock, Cores(1)), [(0, 100), (20, 100), (20, 30)]
    )
    # From 20 on each gets a third: the third is done at 110, the first at 210, the second at 230.
    assert found == [(2, 110), (0, 210), (1, 230)]


def test_no_request_uses_more_than_one_core() -> None:
    found = _departures(lambda clock: ProcessorSharing(clock, Cores(4)), [(0, 100), (0, 100)])
    assert [time for _, time in found] == [100, 100]


def test_equal_demands_leave_in_the_order_they_came() -> None:
    found = _departures(lambda clock: ProcessorSharing(clock, Cores(2)), [(0, 30)] * 7)
    assert [number for number, _ in found] == list(range(7))
    assert {time for _, time in found} == {105}


def test_second_threads_add_their_gain_as_cores_double_up() -> None:
    cores = Cores(4, gain=1.2)
    work = [present * cores.share(present) for present in (1, 4, 6, 8, 20)]
    assert work == pytest.approx([1, 4, 4.4, 4.8, 4.8])


def test_a_token_bucket_passes_its_burst_at_once_and_the_rest_at_its_rate() -> None:
    found = _departures(lambda clock: TokenBucket(clock, 100), [(0, 60), (0, 60), (0, 60)])
    assert found == [(0, 0), (1, 20), (2, 80)]


def test_a_token_bucket_refills() -> None:
    found = _departures(lambda clock: TokenBucket(clock, 100), [(0, 100), (100, 100)])
    assert found == [(0, 0), (1, 100)]


def test_a_pool_admits_in_the_order_of_arrival() -> None:
    pool, admitted = StationPool(1), list[str]()
    for name in "abc":
        pool.enter(admitted.append, name)
    assert admitted == ["a"]
    pool.leave()
    pool.leave()
    assert admitted == ["a", "b", "c"]
    pool.leave()
    pool.enter(admitted.append, "d")
    assert admitted[-1] == "d"


def test_delays_are_whole_nanoseconds_and_never_negative() -> None:
    assert to_nanoseconds(1.5e-9) == 2
    assert to_nanoseconds(-0.3) == 0


def test_equal_times_come_in_the_order_they_were_scheduled() -> None:
    clock, order = Clock(), list[int]()
    for number in range(5):
        clock.after(7, order.append, number)
    clock.run()
    assert order == [0, 1, 2, 3, 4]
    assert clock.now == 7


def test_a_run_ends_before_what_happens_at_its_end_and_the_next_goes_on() -> None:
    clock = Clock()
    seen: list[tuple[int, str]] = []

    def ticking() -> Generator[Any, Any, None]:
        for _ in range(2):
            yield clock.timeout(4)
            seen.append((clock.now, "tick"))

    clock.process(ticking())
    clock.after(8, lambda call: seen.append((clock.now, call)), "call")
    clock.run(until=8)
    assert (clock.now, seen) == (8, [(4, "tick")])
    clock.run()
    assert seen[1:] == [(8, "call"), (8, "tick")]
    clock.run(until=20)
    assert clock.now == 20
