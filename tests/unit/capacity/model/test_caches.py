"""The edge and the disks of blocks keep by identity and bytes."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from capacity.engine.clock import MILLISECOND, SECOND, Clock
from capacity.model.block_disks import BlockDisk, Store
from capacity.model.cost_profile import CostProfile
from capacity.model.design import Design
from capacity.model.edge_caches import Edge, LocationCache
from capacity.model.recency_order import Recency
from capacity.model.render_work import level_of, work_of
from capacity.model.request_demand import BlockLayout, Reader, RequestDemand
from loadtest.workload.catalogue import Image
from loadtest.workload.target import information_target, native_target, whole_target
from loadtest.workload.tiles import GridTile, tile_target
from vitrine.deliver.blocks.runs import BLOCK_BYTES
from vitrine.deliver.render.geometry import plan_request
from vitrine.iiif.request import parse_image_request, resolve
from vitrine.iiif.size import Limits
from vitrine.iiif.version import V3

DESIGN = Design(vcpus=1, memory_gibibytes=4, cache_gibibytes=15, minimum=1, maximum=4)
STEADY = replace(
    CostProfile.default(), variation=0.0, store_variation=0.0, edge_locations=2.0, shield_ms=10.0
)
IMAGE = Image("7", 6000, 4000)
READER = Reader(STEADY)


def test_what_was_used_last_goes_last() -> None:
    kept = Recency()
    for key in range(5_000):
        kept.use(key, key)
    kept.use(0, 0)
    dropped = [kept.drop_oldest() for _ in range(2_000)]
    assert dropped == list(range(1, 2_001))
    kept.use(2_001, 2_001)
    kept.drop(2_002)
    assert kept.drop_oldest() == 2_003


def test_the_edge_keeps_its_bytes_and_forgets_what_was_not_used() -> None:
    cache = LocationCache(100, 1_000)
    for key in (1, 2):
        cache.keep(key, 40, 0)
    assert cache.holds(1, 0)
    cache.keep(3, 40, 0)
    assert [cache.holds(key, 0) for key in (1, 2, 3)] == [True, False, True]
    assert cache.bytes == 80
    cache.keep(4, 101, 0)
    assert not cache.holds(4, 0)


def test_the_edge_keeps_nothing_beyond_its_time() -> None:
    cache = LocationCache(100, 30)
    cache.keep(1, 40, 5)
    assert cache.holds(1, 34)
    assert not cache.holds(1, 35)
    assert cache.bytes == 0


class _Origin:
    """An edge whose origin notes what it is asked, and who was answered."""

    def __init__(self, **changes: Any) -> None:
        self.clock = Clock()
        self.edge = Edge(self.clock, replace(DESIGN, **changes), STEADY)
        self.asked: list[tuple[RequestDemand, int]] = []
        self.told: list[tuple[str, bool, int]] = []
        self.edge.origin = lambda request, location, delay: self.asked.append((request, location))
        self.edge.answered = lambda who, good: self.told.append((who, good, self.clock.now))


def test_a_hit_is_the_same_derivative_of_the_same_image_and_nothing_else() -> None:
    rig = _Origin()
    first = READER.read(whole_target(IMAGE, 128))
    assert not rig.edge.ask(0, first, "a", 0)
    rig.edge.answer(0, first, True)
    assert rig.edge.ask(0, READER.read(whole_target(IMAGE, 128, "another kind")), "b", 0)
    for other in (
        whole_target(IMAGE, 129),
        whole_target(Image("8", 6000, 4000), 128),
        tile_target(IMAGE, GridTile(0, 1, 0)),
        tile_target(IMAGE, GridTile(1, 1, 0)),
        information_target(IMAGE),
        native_target(IMAGE),
    ):
        assert not rig.edge.ask(0, READER.read(other), "c", 0)
    assert not rig.edge.ask(1, first, "elsewhere", 0)
    assert rig.edge.hits == 1


def test_requests_for_what_is_under_way_wait_for_it() -> None:
    rig = _Origin()
    request = READER.read(whole_target(IMAGE, 128))
    for who in "abc":
        assert not rig.edge.ask(0, request, who, 0)
    assert len(rig.asked) == 1
    rig.edge.answer(0, request, True)
    assert [who for who, good, _ in rig.told if good] == ["a", "b", "c"]
    assert (rig.edge.hits, rig.edge.collapsed, rig.edge.origin_requests) == (2, 2, 1)


def test_a_refusal_reaches_all_who_waited_and_is_not_kept() -> None:
    rig = _Origin()
    request = READER.read(whole_target(IMAGE, 128))
    rig.edge.ask(0, request, "a", 0)
    rig.edge.ask(0, request, "b", 0)
    rig.edge.answer(0, request, False)
    assert [good for _, good, _ in rig.told] == [False, False]
    assert not rig.edge.ask(0, request, "c", 0)
    assert len(rig.asked) == 2


def test_behind_a_shield_the_origin_is_asked_once_for_all_locations() -> None:
    rig = _Origin(origin_shield=True)
    request = READER.read(whole_target(IMAGE, 128))
    rig.edge.ask(0, request, "a", 0)
    rig.edge.ask(1, request, "b", 0)
    assert len(rig.asked) == 1
    rig.edge.answer(0, request, True)
    assert [who for who, _, _ in rig.told] == ["a", "b"]
    other = READER.read(whole_target(IMAGE, 200))
    rig.edge.ask(0, other, "c", 0)
    rig.edge.answer(0, other, True)
    rig.edge.ask(1, other, "d", 5)
    rig.clock.run()
    assert rig.told[-1] == ("d", True, 10 * MILLISECOND + 5)
    assert (rig.edge.origin_requests, rig.edge.shield_hits) == (2, 2)


@pytest.mark.parametrize("side", [64, 128, 200, 512, 1024, 3000, 4096])
@pytest.mark.parametrize("size", [(6000, 4000), (3001, 5003), (14_204, 10_652)])
def test_a_derivative_is_made_from_the_level_the_gateway_takes(
    side: int, size: tuple[int, int]
) -> None:
    image = Image("1", *size)
    target = whole_target(image, side)
    parameters = ("full", f"!{side},{side}", "0", "default.jpg")
    limits = Limits(area=10**12)
    made = plan_request(
        image_levels(image), resolve(parse_image_request(parameters, V3), *size, limits)
    )
    assert level_of(target) == made.level
    work = (made.source_pixels + 1.5 * made.result_pixels) / 1e6
    assert work_of(target) == pytest.approx(work, rel=0.02)


def image_levels(image: Image) -> Any:
    return [Level(*size) for size in image.levels]


class Level:
    """A level as the gateway's geometry wants it."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height


@pytest.mark.parametrize(
    "place",
    [GridTile(0, 0, 0), GridTile(0, 23, 15), GridTile(2, 5, 3), GridTile(4, 1, 0)],
)
def test_a_tile_is_known_for_its_level(place: GridTile) -> None:
    assert level_of(tile_target(IMAGE, place)) == place.level


def _cache(capacity: int = 1 << 40) -> tuple[BlockDisk, Store, BlockLayout]:
    store = Store(STEADY, Random(1))
    return BlockDisk(capacity, store, STEADY), store, READER.layout(IMAGE)


def test_a_cold_tile_costs_the_head_and_its_own_blocks_one_after_the_other() -> None:
    cache, store, layout = _cache()
    runs = layout.blocks_of(tile_target(IMAGE, GridTile(0, 12, 8)))
    ready = cache.fetch(0, 7, layout, runs)
    assert store.requests == 2
    assert store.bytes <= 4 * BLOCK_BYTES
    assert 80 * MILLISECOND < ready < 100 * MILLISECOND
    assert cache.fetch(ready, 7, layout, runs) == ready
    assert store.requests == 2


def test_who_needs_a_block_that_is_under_way_waits_for_it_and_reads_nothing() -> None:
    cache, store, layout = _cache()
    runs = layout.blocks_of(tile_target(IMAGE, GridTile(0, 12, 8)))
    ready = cache.fetch(0, 7, layout, runs)
    assert cache.fetch(MILLISECOND, 7, layout, runs) == ready
    assert store.requests == 2


def test_blocks_of_one_image_are_not_those_of_another() -> None:
    cache, store, layout = _cache()
    runs = layout.blocks_of(tile_target(IMAGE, GridTile(0, 12, 8)))
    cache.fetch(0, 7, layout, runs)
    cache.fetch(SECOND, 8, layout, runs)
    assert store.requests == 4


def test_a_disk_that_is_full_forgets_the_least_recently_used_blocks() -> None:
    cache, store, layout = _cache(40 * BLOCK_BYTES)
    for image in range(30):
        cache.fetch(image * SECOND, image, layout, [])
    assert cache.blocks <= 40
    before = store.requests
    cache.fetch(40 * SECOND, 29, layout, [])
    assert store.requests == before
    cache.fetch(41 * SECOND, 0, layout, [])
    assert store.requests == before + 1


def test_a_layout_has_the_bytes_of_all_levels() -> None:
    _, _, layout = _cache()
    assert layout.bytes == pytest.approx(24e6 * STEADY.stored_per_pixel * 4 / 3, rel=0.01)


def test_large_reads_are_cut_as_the_gateway_cuts_them() -> None:
    cache, store, layout = _cache()
    runs = layout.blocks_of(native_target(IMAGE))
    cache.fetch(0, 7, layout, runs)
    blocks = sum(len(run) for run in runs)
    assert store.requests == 1 + -(-blocks // 32)
    assert blocks * BLOCK_BYTES == pytest.approx(24e6 * STEADY.stored_per_pixel, rel=0.05)


def test_a_cache_that_was_filled_reads_nothing() -> None:
    cache, store, layout = _cache()
    runs = layout.blocks_of(tile_target(IMAGE, GridTile(0, 12, 8)))
    cache.fill(7, runs)
    assert cache.fetch(5, 7, layout, runs) == 5
    assert store.requests == 0


def test_a_read_for_a_tile_does_not_wait_for_those_of_large_renders() -> None:
    profile = replace(STEADY, task_megabytes=1.0)
    blocks = BlockDisk(1 << 30, Store(profile, Random(1)), profile)
    layout = READER.layout(IMAGE)
    second = [range(16, 17)]
    large = blocks.fetch(0, 1, layout, [range(2, 100)], urgent=False)
    tile_of_another = blocks.fetch(0, 2, layout, second)
    next_large = blocks.fetch(0, 3, layout, second, urgent=False)
    assert tile_of_another < large / 10
    assert next_large > large
