"""A day of the service: what goes in comes out, the same every time."""

import json
from dataclasses import replace
from typing import Any

import pytest

from capacity.engine.clock import SECOND, Clock, to_nanoseconds
from capacity.engine.streams import Streams
from capacity.model.arrivals import day_curve, visit_times
from capacity.model.autoscaler import Autoscaler
from capacity.model.cost_profile import CostProfile
from capacity.model.day_outcome import DayOutcome
from capacity.model.design import Design, Traffic
from capacity.model.fleet import TaskFleet
from capacity.model.image_collection import SPREAD, ImageCollection, Popularity
from capacity.model.simulate_day import simulate_day
from loadtest.workload.models.report_matrix import ReportMatrix

pytestmark = pytest.mark.slow

DESIGN = Design(vcpus=1, memory_gibibytes=4, cache_gibibytes=15, minimum=2, maximum=6)
TRAFFIC = Traffic(images=300, megapixels=12, visits_per_day=350, hours=2)
PROFILE = CostProfile.default()


@pytest.fixture(scope="module")
def plain() -> DayOutcome:
    return simulate_day(DESIGN, TRAFFIC, PROFILE, 1)


def test_every_request_is_a_hit_or_reaches_the_origin(plain: DayOutcome) -> None:
    assert plain.requests > 2_000
    assert plain.requests == plain.edge_hits + plain.shield_hits + plain.origin_requests
    assert plain.times.requests == plain.requests - plain.failures
    assert sum(times.requests for times in plain.by_class.values()) == plain.times.requests
    assert plain.origin_times.requests == plain.origin_requests - plain.origin_failures
    assert 0 < plain.edge_hit_ratio < 1


def test_the_series_adds_up_to_the_whole(plain: DayOutcome) -> None:
    seconds = plain.sample_seconds
    assert len(plain.series) == TRAFFIC.hours * 3600 / seconds
    counted = sum(sample.requests_per_second for sample in plain.series) * seconds
    # The last visits go on when the stretch is over.
    assert counted <= plain.requests + 0.5
    assert plain.requests < 1.1 * counted
    tasks = sum(sample.tasks for sample in plain.series) * seconds
    assert tasks == pytest.approx(plain.on_demand_seconds + plain.spot_seconds)


def test_equal_seeds_give_equal_outcomes_and_others_do_not(plain: DayOutcome) -> None:
    again = simulate_day(DESIGN, TRAFFIC, PROFILE, 1)
    assert json.dumps(again.as_json()) == json.dumps(plain.as_json())
    assert simulate_day(DESIGN, TRAFFIC, PROFILE, 2).times != plain.times


def test_behind_a_shield_all_requests_are_still_counted() -> None:
    run = simulate_day(replace(DESIGN, origin_shield=True), TRAFFIC, PROFILE, 1)
    assert run.shield_hits
    assert run.requests == run.edge_hits + run.shield_hits + run.origin_requests


def test_without_an_edge_cache_the_origin_sees_all_that_is_not_under_way() -> None:
    run = simulate_day(replace(DESIGN, edge_gibibytes=0), TRAFFIC, PROFILE, 1)
    assert run.origin_requests == run.requests - run.collapsed


def test_a_larger_edge_hits_more_often(plain: DayOutcome) -> None:
    small = simulate_day(replace(DESIGN, edge_gibibytes=0.001), TRAFFIC, PROFILE, 1)
    assert small.edge_hits < plain.edge_hits
    assert small.origin_bytes > plain.origin_bytes


def test_warm_caches_hit_more_often(plain: DayOutcome) -> None:
    warm = simulate_day(DESIGN, replace(TRAFFIC, warm_visits=100), PROFILE, 1)
    assert warm.edge_hit_ratio > plain.edge_hit_ratio + 0.1


def _large_images_only(visits: float, hours: float, **changes: Any) -> DayOutcome:
    traffic = Traffic(
        images=2_000,
        megapixels=60,
        visits_per_day=visits,
        peak_factor=1,
        hours=hours,
        options=ReportMatrix(weights="text", classes=("75-",)),
    )
    return simulate_day(
        replace(DESIGN, minimum=1, edge_gibibytes=0, **changes), traffic, PROFILE, 1
    )


def test_more_renders_than_there_is_room_for_are_refused() -> None:
    crowd = _large_images_only(5_000_000, 0.05, maximum=1)
    assert crowd.failures >= crowd.origin_failures > 0
    assert crowd.requests == crowd.edge_hits + crowd.origin_requests
    assert crowd.peak_cpu_percent > 95
    assert not _large_images_only(100_000, 0.05, maximum=1).failures


def test_the_autoscaler_starts_tasks_when_the_load_is_above_its_target() -> None:
    run = _large_images_only(2_000_000, 0.2, maximum=6)
    tasks = [sample.tasks for sample in run.series]
    assert tasks[0] == 1
    assert run.peak_tasks > 2
    assert run.on_demand_seconds > 720


class _Task:
    """A task that nobody asks."""

    outstanding = identifier_reads = 0


def _scaled(load: float, seconds: int, **changes: Any) -> list[tuple[float, int]]:
    """(second, tasks) of each change, where tasks are `load` busy in all their time."""
    clock, made = Clock(), list[Any]()
    design = replace(DESIGN, minimum=1, **changes)

    class Task:
        outstanding = identifier_reads = 0

        def __init__(self) -> None:
            self.began = clock.now
            made.append(self)

        @property
        def cores(self) -> Any:
            return type("Cores", (), {"spent_ns": load * (clock.now - self.began)})

    make: Any = Task
    fleet = TaskFleet(clock, design, PROFILE, make, Streams(1).stream("spot"))
    fleet.begin([make()])
    clock.process(Autoscaler(clock, design, PROFILE, fleet).run(to_nanoseconds(seconds)))
    changes_seen = [(0.0, 1)]
    for second in range(seconds):
        clock.run(until=(second + 1) * SECOND)
        if len(fleet._serving) != changes_seen[-1][1]:
            changes_seen.append((clock.now / SECOND, len(fleet._serving)))
    return changes_seen


def test_a_task_is_there_after_metrics_their_delay_and_its_start() -> None:
    changes = _scaled(0.9, 300)
    due = 3 * PROFILE.metric_seconds + PROFILE.metric_delay_seconds + PROFILE.task_start_seconds
    # ceil(1 * 90 / 60) tasks.
    second, tasks = changes[1]
    assert second == pytest.approx(due, abs=1)
    assert tasks == 2


def test_no_task_starts_below_the_target_nor_beyond_the_maximum() -> None:
    assert _scaled(0.55, 600) == [(0.0, 1)]
    assert max(tasks for _, tasks in _scaled(1.0, 2_000, maximum=3)) == 3


def test_spot_tasks_are_a_share_of_those_beyond_the_minimum() -> None:
    lasting = replace(PROFILE, spot_lifetime_hours=1e6)
    clock = Clock()
    design = replace(DESIGN, minimum=2, maximum=10, spot_share_percent=50)
    make: Any = _Task
    fleet = TaskFleet(clock, design, lasting, make, Streams(1).stream("spot"))
    fleet.begin([make() for _ in range(2)])
    fleet.resize(10)
    clock.run(until=to_nanoseconds(1000))
    assert sum(place.spot for place in fleet._serving) == 4
    fleet.resize(2)
    assert not any(place.spot for place in fleet._serving)
    drained = 1000 + PROFILE.drain_seconds
    end = to_nanoseconds(5000)
    assert fleet.paid_seconds(spot=True, end=end) == pytest.approx(4 * drained)
    assert fleet.paid_seconds(spot=False, end=end) == pytest.approx(2 * 5000 + 4 * drained)


def test_a_spot_task_that_is_taken_back_is_replaced() -> None:
    clock = Clock()
    design = replace(DESIGN, minimum=1, maximum=3, spot_share_percent=100)
    make: Any = _Task
    short = replace(PROFILE, spot_lifetime_hours=0.1)
    fleet = TaskFleet(clock, design, short, make, Streams(1).stream("spot"))
    fleet.begin([make() for _ in range(3)])
    clock.run(until=to_nanoseconds(6 * 3600))
    assert 60 < fleet.spot_interruptions < 240
    assert fleet.desired == 3
    assert 1 <= len(fleet._serving) <= 3


@pytest.mark.parametrize("factor", [1.0, 1.5, 3.0, 12.0])
def test_the_busiest_hour_has_its_factor_of_a_mean_one(factor: float) -> None:
    shares = day_curve(factor)
    assert sum(shares) == pytest.approx(1)
    hours = [sum(shares[start : start + 60]) for start in range(len(shares) - 60)]
    assert max(hours) * 24 == pytest.approx(factor, rel=1e-3)


def test_visits_follow_the_curve() -> None:
    traffic = replace(TRAFFIC, visits_per_day=20_000, hours=24, peak_factor=3.0)
    seconds = list(visit_times(traffic, Streams(1).stream("arrivals")))
    assert seconds == sorted(seconds)
    assert len(seconds) == pytest.approx(20_000, rel=0.03)
    peak = sum(11.5 * 3600 <= second < 12.5 * 3600 for second in seconds)
    assert peak == pytest.approx(2_500, rel=0.1)


@pytest.mark.parametrize("exponent", [0.0, 0.8, 1.0, 1.3])
def test_images_are_picked_by_zipfs_law(exponent: float) -> None:
    popularity, draws = Popularity(5_000, exponent), Streams(1).stream("picks")
    ranks = [popularity.draw(draws.random) for _ in range(50_000)]
    assert 0 <= min(ranks) <= max(ranks) < 5_000
    weights = [(rank + 1) ** -exponent for rank in range(5_000)]
    for first, last in ((0, 10), (0, 500), (1_000, 3_000)):
        share = sum(weights[first:last]) / sum(weights)
        found = sum(first <= rank < last for rank in ranks) / len(ranks)
        assert found == pytest.approx(share, abs=0.01)


def test_a_collection_has_its_median_and_each_image_once() -> None:
    images = ImageCollection.made(1_000, 25, 0.8).images
    sizes = sorted(image.megapixels for image in images)
    assert sizes[500] == pytest.approx(25, rel=0.03)
    assert sizes[841] / sizes[500] == pytest.approx(2.718**SPREAD, rel=0.05)
    assert len({image.identifier for image in images}) == 1_000


def test_classes_of_sources_split_a_collection() -> None:
    collection = ImageCollection.made(1_001, 25, 0.8)
    bounds = ((0.0, 10.0), (10.0, 75.0), (75.0, 1e9))
    parts = [collection.between(*pair) for pair in bounds]
    assert all(parts)
    names = [image.identifier for part in parts if part for image in part.images]
    assert sorted(names) == sorted(image.identifier for image in collection.images)
    for part, (least, most) in zip(parts, bounds, strict=True):
        assert part
        assert all(least <= image.megapixels < most for image in part.images)
    assert ImageCollection.made(10, 25, 0.8).between(1_000, 2_000) is None


def test_a_day_with_spot_tasks_ends() -> None:
    # So little is enough of a load that tasks beyond the minimum start at once.
    busy = replace(DESIGN, minimum=1, spot_share_percent=100, target_cpu_percent=0.001)
    run = simulate_day(busy, replace(TRAFFIC, hours=0.2), PROFILE, 1)
    assert run.spot_seconds
    assert run.seconds < 0.5 * 3600
