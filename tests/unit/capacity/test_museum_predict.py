"""Calibrated on 10 connections, in shorter runs than the saved one, within the same bounds."""

import pytest

from capacity.engine.stations import Cores
from capacity.validation.museum.calibrate_museum import calibrate
from capacity.validation.museum.modelled_rigs import NAIVE, SETUPS
from capacity.validation.museum.museum_model import ModelledRig, MuseumWorkload, simulate_museum
from capacity.validation.museum.museum_tables import DERIVATIVES, MASTERS, SERVERS, table
from capacity.validation.museum.predict_museum import even_users

pytestmark = pytest.mark.slow

CALIBRATION_SECONDS = 150
SECONDS = {100: 200, 1000: 600}
"""A thousand users that wait for 30 seconds need the whole test to settle."""


@pytest.fixture(scope="module", params=SERVERS)
def calibrated(request: pytest.FixtureRequest) -> tuple[str, MuseumWorkload]:
    server, setup = request.param, SETUPS[request.param]
    workload = calibrate(table(server, 10), setup.rig, setup.statistic, 1, CALIBRATION_SECONDS)
    return server, workload


@pytest.mark.parametrize("connections", [100, 1000])
def test_ten_connections_predict_a_hundred_and_a_thousand(
    calibrated: tuple[str, MuseumWorkload], connections: int
) -> None:
    server, workload = calibrated
    setup, measured = SETUPS[server], table(server, connections)
    seconds = SECONDS[connections]
    found = simulate_museum(setup.rig, workload, even_users(connections), "1/0", seconds)
    throughput = found.attempts_per_second / measured.attempts_per_second - 1
    assert abs(100 * throughput) <= setup.throughput_bound
    response = found.average_ms / measured.total.average_ms - 1
    assert abs(100 * response) <= setup.response_bound


def test_six_free_servers_promise_far_too_much() -> None:
    published = table("iipsrv-ptiff", 10)
    workload = calibrate(published, NAIVE, "median", 1, CALIBRATION_SECONDS)
    found = simulate_museum(NAIVE, workload, even_users(100), "1/0", 100)
    assert found.attempts_per_second > 1.3 * table("iipsrv-ptiff", 100).attempts_per_second


def _workload(demand_ms: float) -> MuseumWorkload:
    kinds = [(masters, derivative) for masters in MASTERS for derivative in DERIVATIVES]
    return MuseumWorkload(0.055, dict.fromkeys(kinds, demand_ms), dict.fromkeys(kinds, 1000.0))


def test_what_takes_longer_than_the_timeout_fails() -> None:
    rig = ModelledRig(workers=1, places=1, cores=Cores(1), timeout=0.5)
    found = simulate_museum(rig, _workload(600), even_users(3), "1/0", 60)
    assert found.failures > 0
    assert not found.answered


def test_a_queue_that_waits_behind_a_long_one_is_not_relieved_by_the_others() -> None:
    turns = ModelledRig(workers=2, places=1, cores=Cores(2))
    shared = ModelledRig(workers=1, places=2, cores=Cores(2))
    workload = _workload(5)
    long = dict(workload.demands) | dict.fromkeys([(m, "4096") for m in MASTERS], 500.0)
    mixed = MuseumWorkload(0.055, long, workload.sizes)
    in_turns, together = (
        simulate_museum(rig, mixed, even_users(4), "1/0", 300) for rig in (turns, shared)
    )
    assert in_turns.average_ms > 1.05 * together.average_ms
