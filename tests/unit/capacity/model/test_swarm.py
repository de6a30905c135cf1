"""A simulated swarm asks for what costs most, and visitors are counted without it."""

from dataclasses import replace
from itertools import islice
from random import Random

import pytest

from capacity.model.cost_profile import CLASSES, INFO, CostProfile
from capacity.model.design import Design, Traffic
from capacity.model.image_collection import ImageCollection
from capacity.model.request_demand import Reader
from capacity.model.simulate_day import simulate_day
from capacity.model.swarm import swarm_requests
from capacity.plan.meet_swarm import VISITORS
from loadtest.drills.swarm.swarm_mix import MAX_PIXELS, UNKNOWN, WEIGHTS
from loadtest.errors import InvalidScenario

DESIGN = Design(vcpus=1, memory_gibibytes=4, cache_gibibytes=15, minimum=2, maximum=2)
PROFILE = CostProfile.default()
TRAFFIC = Traffic(images=2_000, megapixels=25, visits_per_day=4_000, hours=2 / 60, options=VISITORS)
PRESSED = replace(TRAFFIC, swarm_per_second=40.0)


def test_no_request_of_a_swarm_comes_twice_and_kinds_come_in_their_shares() -> None:
    collection = ImageCollection.made(2_000, 25, 0.8)
    stream = swarm_requests(collection, Reader(PROFILE, DESIGN), PROFILE, Random(1))
    requests = list(islice(stream, 2_000))
    assert len({request.key for request in requests}) >= 1_990
    for kind, share in WEIGHTS.items():
        found = sum(request.target.kind == kind for request in requests) / len(requests)
        assert found == pytest.approx(share, abs=0.04)
    largest = max(request.target.width * request.target.height for request in requests)
    assert 0.9 * MAX_PIXELS < largest <= MAX_PIXELS
    unknown = [request for request in requests if request.target.kind == UNKNOWN]
    assert {CLASSES[request.kind] for request in unknown} == {INFO}


@pytest.mark.slow
def test_visitors_are_counted_without_the_swarm() -> None:
    alone, pressed = (
        simulate_day(DESIGN, TRAFFIC, PROFILE, 1),
        simulate_day(DESIGN, PRESSED, PROFILE, 1),
    )
    assert alone.swarm.requests == 0
    assert pressed.swarm.requests == pytest.approx(40 * 120, rel=0.1)
    assert (pressed.visits, pressed.requests) == (alone.visits, alone.requests)
    assert pressed.requests == pressed.edge_hits + pressed.shield_hits + pressed.origin_requests
    assert pressed.cpu_percent > 95
    assert pressed.store_bytes > 2 * alone.store_bytes


@pytest.mark.slow
def test_refusing_by_price_reads_less_of_the_store_and_fails_no_visitor() -> None:
    counted = simulate_day(DESIGN, PRESSED, PROFILE, 1)
    refused = simulate_day(replace(DESIGN, refuses_under_pressure=True), PRESSED, PROFILE, 1)
    assert refused.failures == 0
    assert refused.swarm.refused > counted.swarm.refused
    assert refused.store_bytes < 0.8 * counted.store_bytes


def test_a_swarm_cannot_ask_for_less_than_nothing() -> None:
    with pytest.raises(InvalidScenario, match="swarm_per_second = -1"):
        replace(TRAFFIC, swarm_per_second=-1.0)
