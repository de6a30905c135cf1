"""What a derivative costs the image task, fitted to a run of `vitrine-loadtest study answers`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from capacity.model.render_work import AT_ONCE, pool_of, work_of
from loadtest.corpora.photograph_masters import PHOTOGRAPHS
from loadtest.errors import InvalidScenario
from loadtest.figures.order_statistics import median
from loadtest.figures.round_medians import group_rows
from loadtest.studies.answers.answer_medians import unpack_rows
from loadtest.studies.answers.answer_requests import KINDS
from loadtest.workload.catalogue import Image

BENCH = "answers"
SERVER = "ours"
_MIN_POINTS = 2
"""Points that make a line."""


class CostPoint(NamedTuple):
    """The median over the rounds of one kind of request for one photograph."""

    photograph: str
    request: str
    at_once: bool
    """True for a thumbnail that the event loop makes, False for what iipsrv renders."""
    work: float
    """Megapixels, see `work_of`."""
    cpu_ms: float
    """CPU milliseconds of all processes of the image task."""


def cost_points(figures: Mapping[str, Any]) -> Iterator[CostPoint]:
    """Yield the points of a run's upright colour renders that are not enlarged.

    Others are rare in any traffic that is simulated.
    """
    rows = [row for row in unpack_rows(figures["rounds"]) if row["server"] == SERVER]
    for (photograph, request), group in group_rows(rows, "photograph", "request"):
        kind = KINDS[request]
        if not kind.rendered or kind.rotation or kind.gray or kind.result > kind.region:
            continue
        image = Image(photograph, *PHOTOGRAPHS[photograph].size)
        [first, *_] = kind.requests(image)
        target = first.target(image, request)
        yield CostPoint(
            photograph,
            request,
            pool_of(target) == AT_ONCE,
            work_of(target),
            median(sum(row["cpu_ms"].values()) for row in group),
        )


def renderer_costs(figures: Mapping[str, Any]) -> dict[str, float]:
    """Return the four numbers of a profile that renders cost, in milliseconds of a core.

    Each line leaves the least squares of relative errors. Raises InvalidScenario if the run has
    too few requests of our image task.
    """
    points = list(cost_points(figures))
    costs = {}
    for name, at_once in (("small_ms", True), ("large_ms", False)):
        chosen = [(point.work, point.cpu_ms) for point in points if point.at_once == at_once]
        if len(chosen) < _MIN_POINTS:
            raise InvalidScenario(
                f"has {len(chosen)} of the {_MIN_POINTS} medians of {SERVER!r} that {name} needs: "
                "measure thumbnails and larger derivatives of several photographs"
            )
        slope, fixed = fit_line(chosen)
        costs[name], costs[f"{name}_per_megapixel"] = round(fixed, 3), round(slope, 3)
    return costs


def fit_line(points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return slope and intercept (above 0) that leave the least squares of relative errors."""
    weights = [1 / max(y, 1e-3) ** 2 for _, y in points]
    total = sum(weights)
    x = sum(w * point[0] for w, point in zip(weights, points, strict=True)) / total
    y = sum(w * point[1] for w, point in zip(weights, points, strict=True)) / total
    spread = sum(w * (p[0] - x) ** 2 for w, p in zip(weights, points, strict=True))
    shared = sum(w * (p[0] - x) * (p[1] - y) for w, p in zip(weights, points, strict=True))
    slope = max(1e-3, shared / spread if spread else y / x)
    return slope, max(1e-3, y - slope * x)
