"""A profile from two load levels of one scenario, and nothing else."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, log
from statistics import fmean
from typing import Any

import numpy as np

from capacity.model.cost_profile import Profile
from capacity.model.render_work import LARGEST_THUMBNAIL_PIXELS
from capacity.model.renderer_costs import fit_line
from capacity.validation.own.closed_load_test import Outside, run_closed
from capacity.validation.own.load_tests import PERCENTS, LoadTest
from loadtest.workload.catalogue import Image

_DEMANDS = (
    "info_ms",
    "tile_ms",
    "kept_tile_ms",
    "small_ms",
    "small_ms_per_megapixel",
    "large_ms",
    "large_ms_per_megapixel",
)
_BESIDE = ("wake_ms", "cold_tile_ms", "cold_small_ms", "render_variation")
_ENOUGH = 20
"""Requests of a group that has quartiles."""
_QUARTILES = 1.349
"""Standard deviations between the quartiles of a normal distribution."""
_LEVELS = 200
"""Quantiles of the jitter."""
_FLOOR = 0.1
"""Of the tiles that the gateway answers: what took longer was delayed."""
_USUAL = 0.995
"""Up to here: the slowest of ten thousand says nothing about the fifty slowest."""


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """What was fitted: ten numbers of the profile, and what is outside the server's core."""

    profile: Profile
    outside: Outside
    correction: float
    """By what the demands seen with one user were multiplied to give the CPU of several."""

    def values(self) -> dict[str, float]:
        """Return the profile's calibrated numbers, for `Profile.load`."""
        return {name: getattr(self.profile, name) for name in (*_DEMANDS, *_BESIDE)}


def calibrate(
    idle: Mapping[str, float],
    alone: Mapping[str, Any],
    loaded: Mapping[str, Any],
    tests: tuple[LoadTest, LoadTest],
    images: Sequence[Image],
) -> Calibration:
    """Calibrate from the measured rows of a test with one user and of the same with several.

    `idle` are requests that ask for no image.

    With one user nothing waits: the median of a class is its demand, a delay, and what it costs to
    find nobody there, or nobody for a while. The fastest tiles are those that nginx kept; how many
    follows from the requests. Of the others the fast ones show the demand. What the slower ones
    took longer is jitter: it delays an answer and keeps no core busy. How far the quartiles of
    derivatives of equal work lie apart is how much demands vary. The delay is what CPU does not
    account for in a request that asks for nothing; waking up is what such a request costs alone,
    and not among many. With several users one factor on all demands makes the CPU of a simulated
    request the measured one.
    """
    generator = idle["generator_ms"]
    kept = _kept_share(tests[0], images, alone)
    delay = max(0.0, idle["median_ms"] - idle["server_cpu_ms"] - generator / 2)
    wake = max(0.0, idle["server_cpu_ms"] - idle["busy_server_cpu_ms"])
    profile = _from_one_user(alone["groups"], delay + generator / 2, wake, kept)
    jitter = _jitter(alone["groups"], kept)
    outside = Outside(delay_ms=delay, generator_ms=generator, jitter_ms=jitter)
    seconds, rounds = loaded["seconds"], loaded["rounds"]
    run = run_closed(tests[1], images, profile, outside, seconds, rounds=rounds)
    simulated = run.server_cores / run.requests_per_second
    measured = loaded["server_cpu_seconds"] / (loaded["requests"] or 1)
    factor = measured / simulated
    return Calibration(profile=scaled(profile, factor), outside=outside, correction=factor)


def rig_profile() -> Profile:
    """Return the shipped profile with the store of the test: files of the same machine."""
    return replace(
        Profile.default(),
        variation=0.0,
        render_variation=0.0,
        store_first_byte_ms=0.05,
        store_variation=0.0,
        store_stream_megabytes=2_000.0,
        task_megabytes=2_000.0,
        identifier_ms=0.01,
    )


def scaled(profile: Profile, factor: float) -> Profile:
    """Return the profile with all demands multiplied."""
    changes = {name: factor * getattr(profile, name) for name in _DEMANDS}
    return replace(profile, **changes)


def _kept_share(test: LoadTest, images: Sequence[Image], alone: Mapping[str, Any]) -> float:
    """Return the share of the tiles of a test that nginx answers: its requests are known."""
    outside = Outside(delay_ms=0.0, generator_ms=0.0)
    run = run_closed(test, images, rig_profile(), outside, alone["seconds"], rounds=alone["rounds"])
    return run.kept_share


def _from_one_user(
    groups: Sequence[Mapping[str, Any]], delay: float, wake: float, kept: float
) -> Profile:
    shipped = rig_profile()
    least = shipped.tile_ms / 10
    tiles = [group for group in groups if group["is_tile"]]
    small = [group for group in groups if not group["is_tile"] and _is_made_at_once(group)]
    large = [group for group in groups if group["pixels"] and not _is_made_at_once(group)]

    render_variation = _variation(_among(small, paused=False), delay + wake)
    usual = _among(tiles, paused=False)
    tile = max(least, _mean_quantile(usual, kept + (1 - kept) * _FLOOR) - delay - wake)
    kept_tile = max(least, _mean_quantile(usual, kept / 2) - delay - wake)
    cold_tile = _mean_median(_among(tiles, paused=True)) - delay - tile

    def shipped_ms(group: Mapping[str, Any]) -> float:
        return float(shipped.small_ms + shipped.small_ms_per_megapixel * group["work"])

    among = _among(small, paused=False)
    ratio = (_mean_median(among) - delay - wake) / _mean(among, shipped_ms)
    after = _among(small, paused=True)
    cold_small = _mean_median(after) - delay - ratio * _mean(after, shipped_ms)
    slope, intercept = fit_line(
        [
            (group["work"], group["median_ms"] - delay - (cold_small if _paused(group) else wake))
            for group in large
        ]
    )
    # Medians until here; the simulator's demands are means.
    ratio *= exp(render_variation**2 / 2)
    return replace(
        shipped,
        render_variation=render_variation,
        info_ms=tile,
        tile_ms=tile,
        kept_tile_ms=kept_tile,
        small_ms=ratio * shipped.small_ms,
        small_ms_per_megapixel=ratio * shipped.small_ms_per_megapixel,
        large_ms=intercept,
        large_ms_per_megapixel=slope,
        wake_ms=wake,
        cold_tile_ms=max(wake, cold_tile),
        cold_small_ms=max(wake, cold_small),
    )


def _variation(groups: Sequence[Mapping[str, Any]], fixed_ms: float) -> float:
    """Standard deviation of the logarithm of what is left of these times, of a mean request."""
    enough = [group for group in groups if group["requests"] >= _ENOUGH]
    if not enough:
        return 0.0

    def deviation(group: Mapping[str, Any]) -> float:
        low, high = (max(1e-3, _quantile(group, share) - fixed_ms) for share in (0.25, 0.75))
        return log(high / low) / _QUARTILES

    return _mean(enough, deviation)


def _is_made_at_once(group: Mapping[str, Any]) -> bool:
    """Return whether it is made in the event loop; runs before 2026-11-22 have only its pixels."""
    return bool(group.get("at_once", 0 < group["pixels"] <= LARGEST_THUMBNAIL_PIXELS))


def _jitter(groups: Sequence[Mapping[str, Any]], kept: float) -> tuple[float, ...]:
    """Quantiles of what tiles took beyond their median, those after a pause left out."""
    tiles = _among([group for group in groups if group["is_tile"]], paused=False)
    floor = _mean_quantile(tiles, kept + (1 - kept) * _FLOOR)

    def beyond(step: int) -> float:
        share = min(kept + (1 - kept) * step / _LEVELS, _USUAL)
        return max(0.0, _mean_quantile(tiles, share) - floor)

    return tuple(map(beyond, range(_LEVELS + 1)))


def _quantile(group: Mapping[str, Any], share: float) -> float:
    """Between the kept quantiles, in milliseconds."""
    return float(np.interp(100 * share, PERCENTS, group["quantiles_ms"]))


def _paused(group: Mapping[str, Any]) -> bool:
    return bool(group["after_pause"])


def _among(groups: Sequence[Mapping[str, Any]], *, paused: bool) -> Sequence[Mapping[str, Any]]:
    """Return the groups of that kind, or all if there is no such group."""
    return [group for group in groups if _paused(group) == paused] or groups


def _mean_quantile(groups: Sequence[Mapping[str, Any]], share: float) -> float:
    return _mean(groups, lambda group: _quantile(group, share))


def _mean_median(groups: Sequence[Mapping[str, Any]]) -> float:
    return _mean(groups, lambda group: float(group["median_ms"]))


def _mean(
    groups: Sequence[Mapping[str, Any]], value: Callable[[Mapping[str, Any]], float]
) -> float:
    """Over requests."""
    return fmean(map(value, groups), [group["requests"] for group in groups])
