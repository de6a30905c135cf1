"""What cannot be is refused, with the reason; what mirrors the service is the same."""

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from capacity.model import admission, image_task
from capacity.model import render_work as demand
from capacity.model.cost_profile import DEFAULT, CostProfile
from capacity.model.design import VISITORS, Design, Traffic
from loadtest.errors import InvalidScenario
from loadtest.workload.models.cache_percent import CachePercent
from loadtest.workload.scenario import read_scenario
from vitrine.deliver import service
from vitrine.deliver.render import choice, planes, pool, task
from vitrine.settings.deliver import DeliverSettings

REPOSITORY = Path(__file__).parents[4]
DESIGN = Design(vcpus=1, memory_gibibytes=4, cache_gibibytes=15, minimum=1, maximum=4)
TRAFFIC = Traffic(images=1_000, megapixels=25, visits_per_day=500)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"vcpus": 3}, "no task has 3 vCPUs: there are 0.25, 0.5, 1"),
        ({"memory_gibibytes": 16}, "has 2 to 8 GiB of memory, not 16"),
        ({"minimum": 0}, "at least one task must run"),
        ({"minimum": 5}, "at most 4 tasks cannot be, where 5 always run"),
        ({"cache_gibibytes": 500}, "disk has 200 GiB at most"),
        ({"spot_share_percent": 101}, "from 0 to 100"),
        ({"target_cpu_percent": 0}, "never met"),
        ({"edge_gibibytes": -1}, "must not be below 0"),
        ({"large_renders": 0}, "somebody asks for large images"),
        ({"vcpus": math.nan}, "vcpus = nan"),
    ],
)
def test_an_impossible_design_is_refused_with_the_reason(
    change: dict[str, Any], reason: str
) -> None:
    with pytest.raises(InvalidScenario, match=re.escape(reason)):
        replace(DESIGN, **change)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"images": 0}, "nobody can look at"),
        ({"megapixels": -3.0}, "is no image"),
        ({"megapixels": math.nan}, "megapixels = nan"),
        ({"visits_per_day": 0}, "must be above 0"),
        ({"visits_per_day": math.inf}, "visits_per_day = inf"),
        ({"peak_factor": 0.5}, "is impossible: 1 to 12 are"),
        ({"popularity": -1.0}, "from 0"),
        ({"hours": 25}, "24 at most"),
        ({"warm_visits": -1}, "must not be below 0"),
        ({"warm_days": 400}, "from 0 to 365"),
        ({"options": CachePercent()}, "is not a day's traffic"),
    ],
)
def test_nonsense_traffic_is_refused_with_the_reason(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(InvalidScenario, match=re.escape(reason)):
        replace(TRAFFIC, **change)


def test_a_profile_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidScenario, match=r"none\.toml: there is no profile to read"):
        CostProfile.load(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("tile_ms = -1", "tile_ms = -1: it must be above 0"),
        ("tile_ms = nan", "tile_ms = nan"),
        ("tile_ms = 'fast'", "tile_ms must be a number, not 'fast'"),
        ("tiles_ms = 1", "there is no number 'tiles_ms'"),
        ("= 1", "is no TOML"),
    ],
)
def test_a_profile_that_cannot_be_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "profile.toml"
    path.write_text(text)
    with pytest.raises(InvalidScenario, match=re.escape(reason)):
        CostProfile.load(path)


def test_a_profile_takes_what_it_leaves_out_from_the_one_that_is_shipped(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('[processors]\ntile_ms = { value = 2.5, origin = "my server" }\n')
    profile = CostProfile.load(path)
    assert profile.tile_ms == 2.5
    assert profile.origins["tile_ms"] == "my server"
    assert profile.info_ms == CostProfile.default().info_ms


def test_a_run_of_another_study_is_no_profile(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"rows": []}))
    with pytest.raises(InvalidScenario, match="vitrine-loadtest study answers"):
        CostProfile.load(path)


def test_every_number_says_where_it_comes_from() -> None:
    origins = CostProfile.default().origins
    assert all(len(origin) > 10 for origin in origins.values())
    named = {name for text in origins.values() for name in re.findall(r"results/[\w-]+", text)}
    named |= {name for text in origins.values() for name in re.findall(r"docs/[\w/-]+\.md", text)}
    assert named
    assert all((REPOSITORY / name).exists() for name in named)
    assert DEFAULT.read_text().count("origin =") == len(origins)


def test_what_the_service_does_is_what_is_simulated() -> None:
    profile, settings = CostProfile.default(), DeliverSettings
    assert demand.MAX_MEDIUM_WORK * 1e6 == choice.MAX_MEDIUM_WORK
    assert demand.MAX_LARGE_WORK * 1e6 == choice.MAX_LARGE_WORK
    assert task._ENCODING_WORK["jpg"] == demand.JPEG_WORK
    assert (image_task.WAITING, image_task.LARGE_WAITING) == (
        service.WAITING,
        service.LARGE_WAITING,
    )
    assert pool.PoolSize.patience_seconds == admission.PATIENCE_SECONDS
    assert math.isclose(pool.SLACK_SECONDS * 1e6, admission.SLACK_SECONDS)
    # Linux, sched_prio_to_weight: 1024 at niceness 0, which is iipsrv's.
    start = (REPOSITORY / "containers/iipsrv/start").read_text()
    assert "nice" not in start
    assert image_task.IIPSRV_WEIGHT == 1024 / 1024
    assert demand.MAX_THUMBNAIL_PIXELS == planes.MAX_THUMBNAIL_PIXELS
    tile_pixels = 256 * 256
    assert demand.MAX_THUMBNAIL_TILES * tile_pixels == planes.MAX_THUMBNAIL_SOURCE_PIXELS
    assert profile.identifier_ttl_seconds == settings.identifier_ttl_seconds
    assert DESIGN.edge_ttl_seconds == settings.edge_max_age_seconds


def test_traffic_is_the_scenario_of_visitors_unless_another_is_named() -> None:
    assert read_scenario(REPOSITORY / "scenarios" / "visitors.toml").options == replace(
        VISITORS, parts=list(VISITORS.parts)
    )
