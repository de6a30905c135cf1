"""Load tests drawn at random, so that nobody chose what is to be predicted."""

from dataclasses import replace
from math import exp, log
from random import Random
from typing import Literal

from capacity.engine.streams import Streams, exponential, uniform
from capacity.validation.own.load_tests import CALIBRATING, LoadTest
from loadtest.workload.mix import Mix, Part
from loadtest.workload.models.index_page import IndexPage
from loadtest.workload.models.report_matrix import ReportMatrix
from loadtest.workload.models.viewer_session import ViewerSession

USERS = (1, 16)
THINK_SECONDS = (0.02, 0.3)
"""Least and most; small, so that few users put a load on one core."""
THUMBNAILS = (5, 60)
SIDES = (90, 128, 200, 400)
"""Longer sides of thumbnails, in pixels."""
RATIOS = (1.0, 1.5, 2.0)
"""Pixels of the screen per CSS pixel."""
DRAWN = 10
"""Judged: their forecasts are compared with what was measured."""
GAUGING = 5
"""Drawn before those: only by how much the model misses them is known, and is in every interval."""


def all_tests(seed: int, drawn: int = DRAWN, gauging: int = GAUGING) -> list[LoadTest]:
    """Return the two that calibrate, those that gauge the model's errors, and those judged."""
    tests = draw_tests(seed, gauging + drawn)
    gauges = [replace(test, purpose="gauge") for test in tests[:gauging]]
    return [*CALIBRATING, *gauges, *tests[gauging:]]


def draw_tests(seed: int, number: int) -> list[LoadTest]:
    """Draw so many load tests: users, pauses, and shares of visits of the three models.

    Equal seeds give equal tests, on every Python.
    """
    stream = Streams(seed).stream("load tests")
    return [_draw_test(stream, place) for place in range(1, number + 1)]


def _draw_test(stream: Random, place: int) -> LoadTest:
    users = round(_between(stream, USERS))
    think = _between(stream, THINK_SECONDS)
    pauses = (think / 2, 3 * think / 2)
    ratio, side = (values[int(stream.random() * len(values))] for values in (RATIOS, SIDES))
    thumbnails = round(_between(stream, THUMBNAILS))
    weights: Literal["tables", "text"] = "tables" if stream.random() < 0.5 else "text"
    models = (
        ViewerSession(think_seconds=think, device_pixel_ratio=ratio),
        IndexPage(thumbnails=thumbnails, side=int(side), think_seconds=pauses),
        ReportMatrix(weights=weights, think_seconds=pauses),
    )
    # Even over all shares that add up to one (Dirichlet, all parameters 1). A request of the
    # report may cost a thousand tiles: a visit of it is one request, one of the others has many.
    parts = [Part(exponential(stream, 1.0), model) for model in models]
    return LoadTest(
        name=f"drawn {place}, {users} users" if users > 1 else f"drawn {place}, 1 user",
        options=Mix(parts),
        users=users,
    )


def _between(stream: Random, bounds: tuple[float, float]) -> float:
    """Draw so that ratios, not differences, are alike."""
    low, high = bounds
    return exp(uniform(stream, log(low), log(high)))
