"""What one simulated image task does with requests, as the gateway does."""

from dataclasses import replace
from random import Random

import pytest

from capacity.engine.clock import MILLISECOND, Clock, to_nanoseconds
from capacity.engine.streams import Streams
from capacity.model.block_disks import Store
from capacity.model.cost_profile import CostProfile
from capacity.model.design import Design
from capacity.model.image_task import COLD_SECONDS, TICK_MS, EdgeJob, SimulatedTask
from capacity.model.render_work import AT_ONCE, HUGE, LARGE_TURN, MEDIUM
from capacity.model.request_demand import Reader
from loadtest.workload.catalogue import Image
from loadtest.workload.target import Target, whole_target
from loadtest.workload.tiles import GridTile, tile_target

IMAGE = Image("1", 14_204, 10_652)
RIG = Design(vcpus=1, memory_gibibytes=4, cache_gibibytes=15, minimum=1, maximum=1, large_renders=1)
PROFILE = replace(
    CostProfile.default(),
    variation=0.0,
    render_variation=0.0,
    store_first_byte_ms=0.05,
    store_variation=0.0,
    store_stream_megabytes=2_000.0,
    task_megabytes=2_000.0,
    identifier_ms=0.01,
    wake_ms=0.0,
    cold_tile_ms=0.0,
    cold_small_ms=0.0,
    kept_tile_ms=CostProfile.default().tile_ms,
)
"""One core, and a store of files on the same machine; demands do not vary."""


class _Rig:
    """One task that knows the image and has its blocks; who asks is answered with the time."""

    def __init__(self, **changes: float) -> None:
        profile = replace(PROFILE, **changes)
        self.clock = Clock()
        self.reader = Reader(profile)
        store = Store(profile, Streams(1).stream("store"))
        self.task = SimulatedTask(self.clock, RIG, profile, self.reader, store)
        self.took: list[float] = []
        for target in (
            tile_target(IMAGE, GridTile(0, 0, 0)),
            whole_target(IMAGE, 128),
            whole_target(IMAGE, 4096),
        ):
            self.ask(target)
            self.clock.run()
        self.took.clear()

    def ask(self, target: Target) -> None:
        def done(job: EdgeJob, good: bool) -> None:
            assert good
            self.took.append((self.clock.now - job.sent) / MILLISECOND)

        job = EdgeJob(self.reader.read(target), 0, self.clock.now)
        self.task.ask(job, done, Random(1))

    def pause(self, seconds: float) -> None:
        self.clock.run(until=self.clock.now + to_nanoseconds(seconds))


@pytest.mark.parametrize(
    ("side", "pool"), [(128, AT_ONCE), (1024, MEDIUM), (2000, LARGE_TURN), (4096, HUGE)]
)
def test_a_render_has_its_pool_by_its_work(side: int, pool: int) -> None:
    assert Reader(PROFILE).read(whole_target(IMAGE, side)).pool == pool


def test_what_is_being_rendered_already_is_not_rendered_again() -> None:
    rig = _Rig()
    before = rig.task.cores.spent_ns
    for _ in range(5):
        rig.ask(whole_target(IMAGE, 4096))
    assert rig.task.outstanding == 5
    rig.clock.run()
    assert len(rig.took) == 5
    assert rig.task.outstanding == 0
    demand = rig.reader.read(whole_target(IMAGE, 4096)).demand
    assert rig.task.cores.spent_ns - before == pytest.approx(demand, rel=1e-3)
    rig.ask(whole_target(IMAGE, 4096))
    rig.clock.run()
    assert rig.task.cores.spent_ns - before == pytest.approx(2 * demand, rel=1e-3)


def test_renders_of_all_pools_wait_for_the_processes_of_iipsrv() -> None:
    rig = _Rig()
    rig.ask(whole_target(IMAGE, 4096))
    rig.ask(whole_target(IMAGE, 1024))
    rig.clock.run()
    first, second = (rig.reader.read(whole_target(IMAGE, side)).demand for side in (4096, 1024))
    expected = [first / MILLISECOND, (first + second) / MILLISECOND]
    assert rig.took == pytest.approx(expected, rel=1e-3)


def test_a_thumbnail_does_not_wait_for_a_process_of_iipsrv() -> None:
    rig = _Rig()
    rig.ask(whole_target(IMAGE, 4096))
    rig.ask(whole_target(IMAGE, 128))
    rig.clock.run()
    demand = rig.reader.read(whole_target(IMAGE, 128)).demand / MILLISECOND
    assert rig.took[0] < 2 * TICK_MS + 2 * demand


def test_a_tile_waits_for_the_next_ticks_while_a_render_has_the_core_and_then_goes_first() -> None:
    rig = _Rig()
    rig.ask(whole_target(IMAGE, 4096))
    rig.ask(tile_target(IMAGE, GridTile(0, 0, 0)))
    rig.clock.run()
    first, last = rig.took
    assert 1.3 * PROFILE.tile_ms < first < 2 * TICK_MS + 1.3 * PROFILE.tile_ms
    assert last > 10 * first


def test_a_tile_that_nginx_keeps_costs_less() -> None:
    rig = _Rig(kept_tile_ms=PROFILE.tile_ms / 2)
    for _ in range(2):
        rig.ask(tile_target(IMAGE, GridTile(0, 0, 0)))
        rig.clock.run()
    assert rig.took == pytest.approx([PROFILE.tile_ms, PROFILE.tile_ms / 2], rel=1e-3)


def test_a_thumbnail_delays_the_tiles_of_its_own_gateway_process_only() -> None:
    rig = _Rig()
    thumbnail = rig.reader.read(whole_target(IMAGE, 128)).demand / MILLISECOND
    rig.ask(whole_target(IMAGE, 128))
    for image in (IMAGE, replace(IMAGE, identifier="2")):
        rig.ask(tile_target(image, GridTile(0, 0, 0)))
    rig.clock.run()
    other, first, same = rig.took
    assert other < thumbnail / 2
    assert first < same
    assert same > thumbnail


def test_who_comes_after_a_pause_pays_for_it_and_who_finds_somebody_does_not() -> None:
    rig = _Rig(wake_ms=0.1, cold_tile_ms=0.6)
    one = tile_target(IMAGE, GridTile(0, 0, 0))
    rig.pause(2 * COLD_SECONDS)
    rig.ask(one)
    rig.clock.run()
    rig.pause(COLD_SECONDS / 2)
    rig.ask(one)
    rig.clock.run()
    rested, woken = rig.took
    assert rested == pytest.approx(PROFILE.tile_ms + 0.6, rel=1e-3)
    assert woken == pytest.approx(PROFILE.tile_ms + 0.1, rel=1e-3)
    before = rig.task.cores.spent_ns
    rig.pause(COLD_SECONDS / 2)
    rig.ask(one)
    rig.ask(one)
    rig.clock.run()
    spent = (rig.task.cores.spent_ns - before) / MILLISECOND
    assert spent == pytest.approx(2 * PROFILE.tile_ms + 0.1, rel=1e-3)


def test_who_comes_while_only_a_large_render_is_under_way_finds_cold_caches() -> None:
    rig = _Rig(wake_ms=0.1, cold_tile_ms=0.6)
    rig.ask(whole_target(IMAGE, 4096))
    rig.pause(2 * COLD_SECONDS)
    rig.ask(tile_target(IMAGE, GridTile(0, 0, 0)))
    rig.pause(2 * COLD_SECONDS)
    assert rig.took[0] > PROFILE.tile_ms + 0.6
