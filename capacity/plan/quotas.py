"""What of AWS, and of our own settings, ends first when traffic grows."""

from collections.abc import Callable
from dataclasses import dataclass

from capacity.model.day_outcome import DayOutcome
from capacity.model.design import Design

SPREAD = 256
"""Prefixes of access masters' keys: two hex digits (vitrine/store/layout.py)."""


@dataclass(frozen=True)
class ServiceLoad:
    """What a busiest moment asks for, a second."""

    design: Design
    requests: float
    viewer_bytes: float
    origin_requests: float
    store_requests: float
    identifier_reads: float


@dataclass(frozen=True, kw_only=True)
class Quota:
    """One limit. `load` says what counts against it."""

    name: str
    limit: float
    at_it: str
    """Effect of reaching the limit, and whether it can be raised."""
    source: str
    load: Callable[[ServiceLoad], float]


def load_of(outcome: DayOutcome, design: Design, visits_per_second: float) -> ServiceLoad:
    """Return the load of a second whose visits ask for what the simulated ones asked for."""
    times = visits_per_second / outcome.visits
    return ServiceLoad(
        design=design,
        requests=outcome.requests * times,
        viewer_bytes=outcome.viewer_bytes * times,
        origin_requests=outcome.origin_requests * times,
        store_requests=outcome.store_requests * times,
        identifier_reads=outcome.identifier_reads * times,
    )


QUOTAS: tuple[Quota, ...] = (
    Quota(
        name="CloudFront: requests a second",
        limit=250_000,
        at_it="soft; CloudFront answers 503 or slows down",
        source="CloudFront quotas, 2026: for each distribution",
        load=lambda load: load.requests,
    ),
    Quota(
        name="CloudFront: Gbit a second",
        limit=150,
        at_it="soft; the same",
        source="CloudFront quotas, 2026: for each distribution",
        load=lambda load: load.viewer_bytes * 8 / 1e9,
    ),
    Quota(
        name="S3: GET a second, of all prefixes of access masters",
        limit=5_500 * SPREAD,
        at_it="503 and another try until S3 has split the prefix",
        source='S3, "Best practices design patterns: optimizing S3 performance"; two hex digits',
        load=lambda load: load.store_requests,
    ),
    Quota(
        name="DynamoDB: reads of identifiers a second",
        limit=12_000,
        at_it="throttled until the table has grown; twice the earlier peak is served at once",
        source="DynamoDB, on-demand capacity: a new table",
        load=lambda load: load.identifier_reads,
    ),
    Quota(
        name="Fargate: vCPUs at once, with all tasks",
        limit=6,
        at_it="soft, and low: ask AWS for more before the first deployment, or tasks do not start",
        source="AWS General Reference, ECS quotas, 2026-10: 6 in each region; Spot has its own",
        load=lambda load: load.design.vcpus * _on_demand_tasks(load.design),
    ),
)


def _on_demand_tasks(design: Design) -> float:
    """Return the most tasks on demand: no more on Spot than must be."""
    beyond = design.maximum - design.minimum
    return design.minimum + beyond * (100 - design.spot_share_percent) / 100
