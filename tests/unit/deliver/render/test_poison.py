"""How long a request that kills is left alone, and that the memory of them is bounded."""

import pytest

from tests.rigs.clock import Clock
from vitrine.deliver.render.poison import (
    FIRST_SECONDS,
    MAX_REMEMBERED,
    MAX_SECONDS,
    PoisonedRequests,
)
from vitrine.errors import PoisonedRequest


def test_a_request_that_killed_is_not_tried_for_a_minute_and_others_are() -> None:
    clock = Clock(1000.0)
    poisoned = PoisonedRequests(clock)
    poisoned.check("a")
    assert poisoned.remember("a") == FIRST_SECONDS == 60
    clock.now += 0.5
    with pytest.raises(PoisonedRequest) as refusal:
        poisoned.check("a")
    assert refusal.value.retry_seconds == 60
    poisoned.check("b")
    clock.now += 59.5
    poisoned.check("a")


def test_the_time_doubles_up_to_an_hour_and_is_a_minute_again_after_an_hour_of_peace() -> None:
    clock, waits = Clock(1000.0), []
    poisoned = PoisonedRequests(clock)
    for _ in range(8):
        waits.append(poisoned.remember("a"))
        clock.now += waits[-1]
    assert waits == [60, 120, 240, 480, 960, 1_920, 3_600, 3_600]
    clock.now += MAX_SECONDS
    assert poisoned.remember("a") == FIRST_SECONDS


def test_clients_that_meet_it_at_the_same_time_count_once() -> None:
    clock = Clock(1000.0)
    poisoned = PoisonedRequests(clock)
    poisoned.remember("a")
    clock.now += 10
    assert poisoned.remember("a") == FIRST_SECONDS - 10


def test_the_oldest_is_forgotten_first() -> None:
    poisoned = PoisonedRequests(Clock(1000.0))
    for number in range(MAX_REMEMBERED + 1):
        poisoned.remember(str(number))
    assert len(poisoned) == MAX_REMEMBERED
    poisoned.check("0")
    with pytest.raises(PoisonedRequest):
        poisoned.check("1")
