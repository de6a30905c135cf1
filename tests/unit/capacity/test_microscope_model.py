from dataclasses import replace

import pytest

from capacity.validation.microscope.implied_demands import (
    implied_demands,
    printed_server_demand,
    stationary_zooms,
)
from capacity.validation.microscope.microscope_model import simulate_microscope
from capacity.validation.microscope.microscope_profile import FITTED, PRINTED
from capacity.validation.microscope.profile_choices import CHOICES, alternatives

pytestmark = pytest.mark.slow


def test_equal_seeds_give_equal_outcomes() -> None:
    assert simulate_microscope(FITTED, 3, 0.5, "1/0") == simulate_microscope(FITTED, 3, 0.5, "1/0")
    assert simulate_microscope(FITTED, 3, 0.5, "1/0") != simulate_microscope(FITTED, 3, 0.5, "2/0")


def test_30_clients_without_hits_come_to_the_printed_response_and_utilisations() -> None:
    found = simulate_microscope(FITTED, 30, 0.0, "1/0")
    assert found.response == pytest.approx(683.71, rel=0.05)
    assert found.server == pytest.approx(0.323, rel=0.10)
    assert found.proxy == pytest.approx(0.167, rel=0.10)


def test_the_printed_server_formula_leaves_the_server_idle() -> None:
    found = simulate_microscope(PRINTED, 30, 0.0, "1/0")
    assert found.server < 0.323 / 10


def test_table_7_implies_eleven_times_the_printed_formula() -> None:
    assert printed_server_demand() == pytest.approx(0.68, abs=0.01)
    factors = [row.factor for row in implied_demands(think=12.0)]
    assert all(10.9 < factor < 12.1 for factor in factors)


def test_zooms_in_the_long_run_are_what_table_3_keeps() -> None:
    shares = stationary_zooms()
    assert sum(shares.values()) == pytest.approx(1)
    assert shares[8] == pytest.approx(0.65 * shares[8] + 0.02 * shares[4] + 0.15 * shares[1])


def test_with_every_block_cached_the_server_is_never_asked() -> None:
    found = simulate_microscope(FITTED, 4, 1.0, "1/0")
    assert found.server == 0
    assert found.response < simulate_microscope(FITTED, 4, 0.75, "1/0").response


def test_without_a_proxy_nothing_is_spent_on_one() -> None:
    assert simulate_microscope(FITTED, 2, None, "1/0").proxy == 0


def test_a_response_takes_at_least_its_transfers() -> None:
    # Half a LAN trip and the display of a large reply; no block is cached, so a WAN request too.
    found = simulate_microscope(FITTED, 1, 0.0, "1/0")
    assert found.large is not None
    assert found.large > 7.37 / 2 + 0.71 + 12 * 1.6


def test_joined_blocks_are_asked_for_once() -> None:
    apart = simulate_microscope(FITTED, 10, 0.0, "1/0")
    together = simulate_microscope(replace(FITTED, coalesced=0.5), 10, 0.0, "1/0")
    assert together.response < 0.8 * apart.response
    assert together.requests == apart.requests


def test_blocks_one_at_a_time_let_small_requests_overtake() -> None:
    queued = simulate_microscope(FITTED, 20, 0.5, "1/0")
    stepped = simulate_microscope(
        replace(FITTED, receive_whole=False, one_block_at_a_time=True), 20, 0.5, "1/0"
    )
    assert queued.small is not None
    assert stepped.small is not None
    assert stepped.small < 0.7 * queued.small


def test_every_alternative_changes_the_fitted_profile() -> None:
    changed = alternatives()
    assert len(changed) == sum(len(choice.alternatives) for choice in CHOICES)
    assert all(replace(profile, name="fitted") != FITTED for profile in changed.values())
