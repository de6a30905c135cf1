"""The outcome of a simulated day."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Times:
    """Response times of `requests` in seconds; all 0 without a request."""

    requests: int
    mean: float
    p50: float
    p95: float
    p99: float


@dataclass(frozen=True, kw_only=True)
class DaySample:
    """A stretch of `DayOutcome.sample_seconds`, from `second` on."""

    second: int
    tasks: float
    """Mean number of tasks that served."""
    spot_tasks: float
    """Mean number of these on Spot."""
    requests_per_second: float
    """Viewers' requests per second."""
    origin_per_second: float
    """Requests per second from the edge to the origin."""
    cpu_percent: float
    """CPU of all tasks in use, per cent."""
    failures: int


@dataclass(frozen=True, kw_only=True)
class DayOutcome:
    """Figures of one run. `requests` = `edge_hits` + `shield_hits` + `origin_requests`.

    Times are seconds, those of viewers from sending to the last byte, failures left out.
    """

    seconds: float
    """Simulated: the whole stretch, and on till the last answer."""
    visits: int
    requests: int
    edge_hits: int
    """Answered by an edge location, `collapsed` ones included."""
    collapsed: int
    """Hits that waited for another viewer's request for the same."""
    shield_hits: int
    origin_requests: int
    """Requests that reached the load balancer, from any edge location."""
    failures: int
    """Viewers' requests that were answered 503, since too many renders waited."""
    origin_failures: int
    """503s of the origin: one may fail several viewers that waited for it."""
    times: Times
    """At the viewers."""
    by_class: Mapping[str, Times]
    """The same for each of `profile.CLASSES`."""
    origin_times: Times
    """At the edge: of what the origin answered."""
    on_demand_seconds: float
    """Task-seconds that are paid for, from a task's start to its stop."""
    spot_seconds: float
    spot_interruptions: int
    viewer_bytes: int
    """From the edge to viewers."""
    origin_bytes: int
    """From the origin to the edge."""
    store_requests: int
    """GETs of the object store."""
    store_bytes: int
    identifier_reads: int
    """Reads of the identifiers table."""
    cpu_percent: float
    """Mean of all tasks that served."""
    peak_cpu_percent: float
    """Largest value of a sample, per cent."""
    peak_tasks: int
    peak_requests_per_second: float
    """Largest value of a sample."""
    sample_seconds: int
    series: Sequence[DaySample]

    @property
    def edge_hit_ratio(self) -> float:
        """Share of the requests that the origin did not see."""
        return 1 - self.origin_requests / self.requests if self.requests else 0.0

    def as_json(self) -> dict[str, Any]:
        """Return plain numbers, texts, lists and mappings, `edge_hit_ratio` included."""
        return asdict(self) | {"edge_hit_ratio": self.edge_hit_ratio}
