"""What is simulated: a design of the service, and the traffic that it meets."""

import math
from dataclasses import dataclass, fields
from typing import Any

from loadtest.errors import InvalidScenario
from loadtest.workload.mix import Mix, MixPart
from loadtest.workload.models import Options
from loadtest.workload.models.index_page import IndexPage
from loadtest.workload.models.report_matrix import ReportMatrix
from loadtest.workload.models.viewer_session import ViewerSession

GIBIBYTE = 1 << 30
TASK_MEMORY_GIBIBYTES: dict[float, tuple[float, float]] = {
    0.25: (0.5, 2),
    0.5: (1, 4),
    1: (2, 8),
    2: (4, 16),
    4: (8, 30),
    8: (16, 60),
    16: (32, 120),
}
"""Least and most memory of a Fargate task by its vCPUs (Amazon ECS, "Task CPU and memory")."""
MAX_DISK_GIBIBYTES = 200
"""Disk of a Fargate task (Amazon ECS, "Fargate task ephemeral storage")."""
MAX_IMAGES = 1_000_000_000
MAX_PEAK_FACTOR = 12.0
"""With it an hour has half of a day's visits."""
MAX_WARM_DAYS = 365
VISITORS = Mix(
    (
        MixPart(60, ViewerSession()),
        MixPart(30, IndexPage()),
        MixPart(10, ReportMatrix(weights="text")),
    )
)
"""The shares of scenarios/visitors.toml."""


@dataclass(frozen=True, kw_only=True)
class Design:
    """How the service is built. Raises InvalidScenario for what cannot be."""

    vcpus: float
    """CPUs of a task: one of `TASK_MEMORY_GIBIBYTES`."""
    memory_gibibytes: float
    """Memory of a task. It has a price; the simulation does not run out of it."""
    cache_gibibytes: float
    """Disk for access masters, of each task."""
    minimum: int
    """Tasks that always run, on demand."""
    maximum: int
    """Tasks that run at most."""
    spot_share_percent: int = 0
    """Share of the tasks beyond `minimum` that run on Fargate Spot."""
    target_cpu_percent: float = 60.0
    """Mean CPU that the autoscaler aims at; as in stacks/constructs/image_service.py."""
    edge_gibibytes: float = 100.0
    """Size of each edge location's cache for our answers."""
    edge_ttl_seconds: float = 30 * 86_400.0
    """Seconds for which the edge keeps an answer."""
    origin_shield: bool = False
    """One more cache, of the same size, between all edge locations and the origin."""
    large_renders: int = 1
    """Large renders that a task makes at once."""

    def __post_init__(self) -> None:
        _require_numbers(self)
        if self.vcpus not in TASK_MEMORY_GIBIBYTES:
            sizes = ", ".join(f"{vcpus:g}" for vcpus in TASK_MEMORY_GIBIBYTES)
            raise InvalidScenario(f"no task has {self.vcpus:g} vCPUs: there are {sizes}")
        least, most = TASK_MEMORY_GIBIBYTES[self.vcpus]
        if not least <= self.memory_gibibytes <= most:
            raise InvalidScenario(
                f"a task of {self.vcpus:g} vCPUs has {least:g} to {most:g} GiB of memory, "
                f"not {self.memory_gibibytes:g}"
            )
        self._require_counts()
        if not 0 < self.cache_gibibytes <= MAX_DISK_GIBIBYTES:
            raise InvalidScenario(
                f"a cache of {self.cache_gibibytes:g} GiB is impossible: a task's disk has "
                f"{MAX_DISK_GIBIBYTES} GiB at most, and must keep something"
            )
        if self.edge_gibibytes < 0 or self.edge_ttl_seconds < 0:
            raise InvalidScenario("edge_gibibytes and edge_ttl_seconds must not be below 0")

    def _require_counts(self) -> None:
        if self.minimum < 1:
            raise InvalidScenario(
                f"minimum = {self.minimum}: at least one task must run, since a service of none "
                "has no CPU that it could be scaled by"
            )
        if self.maximum < self.minimum:
            raise InvalidScenario(
                f"at most {self.maximum} tasks cannot be, where {self.minimum} always run"
            )
        if not 0 <= self.spot_share_percent <= 100:
            raise InvalidScenario(
                f"spot_share_percent = {self.spot_share_percent} must be from 0 to 100"
            )
        if not 0 < self.target_cpu_percent <= 100:
            raise InvalidScenario(
                f"a target of {self.target_cpu_percent:g} % CPU is never met: it must be above 0, "
                "and at most 100"
            )
        if self.large_renders < 1:
            raise InvalidScenario("large_renders must be above 0: somebody asks for large images")


@dataclass(frozen=True, kw_only=True)
class Traffic:
    """Visits: how many, and what they ask for. Raises InvalidScenario for impossible values."""

    images: int
    """In the collection."""
    megapixels: float
    """Median of the images."""
    visits_per_day: float
    """Visits of all kinds: with the default `options` some 110 requests each."""
    popularity: float = 0.8
    """Exponent of Zipf's law, by which images are picked: 0, all are as likely."""
    peak_factor: float = 2.0
    """Visits in the busiest hour over those in a mean one; the day's curve follows from it."""
    hours: float = 24.0
    """Hours of a day that are simulated, around its busiest moment."""
    warm_visits: int = 0
    """Last visits before, that fill the tasks' disks and the edge: else both are cold at first."""
    warm_days: float = 0.0
    """Earlier days whose visits fill the edge's cache."""
    options: Options = VISITORS
    """Options of a visit: the model of a scenario."""
    seed: int = 1
    """Seed of the visits' requests."""

    def __post_init__(self) -> None:
        _require_numbers(self)
        if self.images < 1:
            raise InvalidScenario(
                f"images = {self.images}: a collection that nobody can look at has no traffic"
            )
        if self.images > MAX_IMAGES:
            raise InvalidScenario(
                f"images = {self.images:.3g}: nobody has more than {MAX_IMAGES:,}"
            )
        if not 0.01 <= self.megapixels <= 10_000:
            raise InvalidScenario(
                f"a median of {self.megapixels:g} megapixels is no image: 0.01 to 10,000 are"
            )
        if self.visits_per_day <= 0:
            raise InvalidScenario(f"visits_per_day = {self.visits_per_day:g} must be above 0")
        if not 0 <= self.popularity <= 5:
            raise InvalidScenario(
                f"popularity = {self.popularity:g} must be from 0 (all images alike) to 5 "
                "(nearly all visits are for one)"
            )
        if not 1 <= self.peak_factor <= MAX_PEAK_FACTOR:
            raise InvalidScenario(
                f"a busiest hour with {self.peak_factor:g} times the visits of a mean one is "
                f"impossible: 1 to {MAX_PEAK_FACTOR:g} are"
            )
        if not 0 < self.hours <= 24:
            raise InvalidScenario(f"hours = {self.hours:g} must be above 0, and 24 at most")
        self._require_warmth()
        if self.options.ends:
            raise InvalidScenario("a workload that ends, such as a list, is not a day's traffic")

    def _require_warmth(self) -> None:
        if self.warm_visits < 0:
            raise InvalidScenario(f"warm_visits = {self.warm_visits} must not be below 0")
        if not 0 <= self.warm_days <= MAX_WARM_DAYS:
            raise InvalidScenario(
                f"warm_days = {self.warm_days:g} must be from 0 to {MAX_WARM_DAYS}: no answer "
                "stays at the edge for longer"
            )


def _require_numbers(record: Any) -> None:
    """Raises InvalidScenario for what is not a finite number where one is needed."""
    for item in fields(record):
        value = getattr(record, item.name)
        if item.type in (int, float):
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise InvalidScenario(f"{item.name} must be a number, not {value!r}")
            if not math.isfinite(value):
                raise InvalidScenario(f"{item.name} = {value}: no such number of anything")
            if item.type is int and value != int(value):
                raise InvalidScenario(f"{item.name} = {value} must be a whole number")
