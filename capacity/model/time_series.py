"""A run's figures over time."""

from collections.abc import Generator
from typing import Any

from capacity.engine.clock import SECOND, Clock
from capacity.model.day_outcome import DaySample
from capacity.model.day_tally import Tally
from capacity.model.design import Design
from capacity.model.edge_caches import Edge
from capacity.model.fleet import TaskFleet

_SAMPLES = 288
_MIN_SAMPLE_SECONDS = 60


def sample_seconds(hours: float) -> int:
    """Whole minutes, so that there are not many more than `_SAMPLES`; ten where hours are few."""
    minutes = max(1, round(hours * 3600 / _SAMPLES / _MIN_SAMPLE_SECONDS))
    return _MIN_SAMPLE_SECONDS * minutes if hours >= 0.5 else 10


class TimeSeries:
    """Takes a sample every `seconds`."""

    def __init__(
        self, clock: Clock, design: Design, fleet: TaskFleet, edge: Edge, tally: Tally, seconds: int
    ) -> None:
        self._clock, self._design, self._seconds = clock, design, seconds
        self._fleet, self._edge, self._tally = fleet, edge, tally
        self.samples: list[DaySample] = []

    def run(self, end: int) -> Generator[Any, Any, None]:
        """Sample until `end`, in nanoseconds."""
        before = self._read_counters()
        while self._clock.now < end:
            second = self._clock.now // SECOND
            yield self._clock.timeout(min(self._seconds * SECOND, end - self._clock.now))
            after = self._read_counters()
            self.samples.append(self._make_sample(second, before, after))
            before = after

    def _read_counters(self) -> tuple[float, ...]:
        self._fleet.count()
        return (
            self._clock.now,
            self._fleet.serving_ns,
            self._fleet.spot_serving_ns,
            self._fleet.spent_ns(),
            self._tally.requests,
            self._edge.origin_requests,
            self._tally.failures,
        )

    def _make_sample(
        self, second: int, before: tuple[float, ...], after: tuple[float, ...]
    ) -> DaySample:
        pairs = zip(after, before, strict=True)
        elapsed, serving, spot, spent, requests, origin, failures = (a - b for a, b in pairs)
        return DaySample(
            second=second,
            tasks=serving / elapsed,
            spot_tasks=spot / elapsed,
            requests_per_second=requests * SECOND / elapsed,
            origin_per_second=origin * SECOND / elapsed,
            cpu_percent=100 * spent / (serving * self._design.vcpus),
            failures=int(failures),
        )
