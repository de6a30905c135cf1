"""A profile from two load levels of one scenario, and nothing else."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from vitrine.capacity.own.closed import run_closed
from vitrine.capacity.own.load_tests import LoadTest
from vitrine.capacity.service.profile import Profile
from vitrine.workload.catalogue import Image

_STEPS = 12
_MEASURED_NAMES = (
    "info_ms",
    "tile_ms",
    "small_ms",
    "small_ms_per_megapixel",
    "large_ms",
    "large_ms_per_megapixel",
)


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """What was fitted: six demands of the profile, and `delay_ms`."""

    profile: Profile
    delay_ms: float
    """Of every answer, beside the server's core: the generator, and waking up."""
    correction: float
    """By what the demands seen with one user were multiplied to give the throughput of six."""

    def values(self) -> dict[str, float]:
        """The profile's calibrated numbers, for `Profile.load`."""
        return {name: getattr(self.profile, name) for name in _MEASURED_NAMES}


def calibrate(
    idle: Mapping[str, float],
    alone: Mapping[str, Any],
    loaded: Mapping[str, Any],
    tests: tuple[LoadTest, LoadTest],
    images: Sequence[Image],
) -> Calibration:
    """From the measured rows of a test with one user and of the same with several; `idle` are
    requests that ask for no image.

    With one user nothing waits: medians of each class are its demand and a delay, which is what
    the server's CPU does not account for in an idle request. With several the core is full: one
    factor on all demands makes the simulated throughput the measured one.
    """
    delay = max(0.0, idle["median_ms"] - idle["server_cpu_ms"])
    profile = _from_one_user(alone["groups"], delay)

    def throughput(factor: float) -> float:
        run = run_closed(tests[1], images, scaled(profile, factor), delay, loaded["seconds"])
        return run.requests_per_second

    factor = _solve(throughput, loaded["requests_per_second"])
    return Calibration(profile=scaled(profile, factor), delay_ms=delay, correction=factor)


def bed_profile() -> Profile:
    """The profile that is shipped, with the store of the test: files of the same machine."""
    return replace(
        Profile.default(),
        variation=0.0,
        store_first_byte_ms=0.05,
        store_variation=0.0,
        store_stream_megabytes=2_000.0,
        task_megabytes=2_000.0,
        identifier_ms=0.01,
    )


def scaled(profile: Profile, factor: float) -> Profile:
    """With all demands multiplied."""
    changes = {name: factor * getattr(profile, name) for name in _MEASURED_NAMES}
    return replace(profile, **changes)


def _from_one_user(groups: Sequence[Mapping[str, Any]], delay: float) -> Profile:
    shipped = bed_profile()
    least = shipped.tile_ms / 10
    tiles = _medians(groups, lambda group: group["is_tile"])
    tile = max(least, statistics.median(tiles) - delay)
    small = [group for group in groups if not group["is_tile"] and group["pixels"] <= 500_000]
    large = [group for group in groups if not group["is_tile"] and group["pixels"] > 500_000]
    ratio = sum(max(least, g["median_ms"] - delay) * g["requests"] for g in small) / sum(
        (shipped.small_ms + shipped.small_ms_per_megapixel * g["work"]) * g["requests"]
        for g in small
    )
    slope, intercept = _line([(g["work"], g["median_ms"] - delay) for g in large])
    return replace(
        shipped,
        info_ms=tile,
        tile_ms=tile,
        small_ms=ratio * shipped.small_ms,
        small_ms_per_megapixel=ratio * shipped.small_ms_per_megapixel,
        large_ms=intercept,
        large_ms_per_megapixel=slope,
    )


def _medians(
    groups: Sequence[Mapping[str, Any]], belongs: Callable[[Mapping[str, Any]], bool]
) -> list[float]:
    return [
        group["median_ms"] for group in groups if belongs(group) for _ in range(group["requests"])
    ]


def _line(points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Slope and intercept (above 0) that leave the least squares of relative errors."""
    weights = [1 / max(y, 1e-3) ** 2 for _, y in points]
    total = sum(weights)
    x = sum(w * point[0] for w, point in zip(weights, points, strict=True)) / total
    y = sum(w * point[1] for w, point in zip(weights, points, strict=True)) / total
    spread = sum(w * (p[0] - x) ** 2 for w, p in zip(weights, points, strict=True))
    shared = sum(w * (p[0] - x) * (p[1] - y) for w, p in zip(weights, points, strict=True))
    slope = max(1e-3, shared / spread if spread else y / x)
    return slope, max(1e-3, y - slope * x)


def _solve(throughput: Callable[[float], float], wanted: float) -> float:
    """The factor at which throughput, which falls with it, is the one wanted."""
    low, high = 0.3, 3.0
    for _ in range(_STEPS):
        middle = (low * high) ** 0.5
        if throughput(middle) > wanted:
            low = middle
        else:
            high = middle
    return float((low * high) ** 0.5)
