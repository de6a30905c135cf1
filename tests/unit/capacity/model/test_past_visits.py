"""Days of visits fill the edge as if each of their requests had been simulated."""

from dataclasses import replace

import pytest

from capacity.model.cost_profile import CostProfile
from capacity.model.design import Design, Traffic
from capacity.model.past_visits import first_visit
from capacity.model.simulate_day import simulate_day

pytestmark = pytest.mark.slow

PROFILE = CostProfile.default()
DESIGN = Design(vcpus=1, memory_gibibytes=4, cache_gibibytes=15, minimum=1, maximum=2)
TRAFFIC = Traffic(images=300, megapixels=10, visits_per_day=200, hours=0.5)


def test_days_fill_the_edge_as_all_their_visits_one_by_one_do():
    whole = simulate_day(DESIGN, replace(TRAFFIC, warm_visits=400), PROFILE, 1)
    days = simulate_day(DESIGN, replace(TRAFFIC, warm_days=2), PROFILE, 1)
    assert days.requests == whole.requests
    assert days.edge_hits == whole.edge_hits > 0


def test_more_days_find_more_at_the_edge():
    ratios = [
        simulate_day(DESIGN, replace(TRAFFIC, warm_days=days), PROFILE, 1).edge_hit_ratio
        for days in (0, 1, 5)
    ]
    assert ratios[0] < ratios[1] < ratios[2]


def test_an_answer_is_not_found_after_its_lifetime():
    hour = replace(DESIGN, edge_ttl_seconds=1)
    traffic = replace(TRAFFIC, warm_days=5)
    assert simulate_day(hour, traffic, PROFILE, 1).edge_hits < (
        simulate_day(DESIGN, traffic, PROFILE, 1).edge_hits / 2
    )


def test_a_small_edge_holds_no_more_than_it_has_room_for():
    traffic = replace(TRAFFIC, warm_days=5)
    small = replace(DESIGN, edge_gibibytes=0.001)
    assert simulate_day(small, traffic, PROFILE, 1).edge_hits < (
        simulate_day(DESIGN, traffic, PROFILE, 1).edge_hits / 2
    )


def test_designs_meet_the_same_visits_whatever_their_edge_holds():
    traffic = replace(TRAFFIC, warm_days=3)
    shielded = replace(DESIGN, origin_shield=True, edge_ttl_seconds=3_600)
    assert first_visit(traffic) == 600
    assert simulate_day(shielded, traffic, PROFILE, 1).requests == (
        simulate_day(DESIGN, traffic, PROFILE, 1).requests
    )
