"""What is counted while a day is simulated."""

from array import array
from collections.abc import Sequence

import numpy as np

from capacity.engine.clock import SECOND
from capacity.model.cost_profile import CLASSES
from capacity.model.day_outcome import Times
from loadtest.figures.order_statistics import percentile

_NONE = np.empty(0, np.int64)


class Tally:
    """Response times in nanoseconds, by class; counts of what went wrong."""

    def __init__(self) -> None:
        self.responses = [array("q") for _ in CLASSES]
        self.origin = array("q")
        self.visits = self.requests = self.failures = self.origin_failures = 0
        self.viewer_bytes = self.origin_bytes = 0
        self.last = 0
        """When the last answer came, in nanoseconds."""

    def times(self) -> Times:
        """Return the times of all viewers' requests."""
        return times_of(self.responses)

    def by_class(self) -> dict[str, Times]:
        """Return the times of each class of request."""
        pairs = zip(CLASSES, self.responses, strict=True)
        return {name: times_of([responses]) for name, responses in pairs}


def times_of(parts: Sequence["array[int]"]) -> Times:
    """Mean and percentiles (nearest rank) of all parts together."""
    times = np.concatenate([np.frombuffer(part, np.int64) for part in parts if part] or [_NONE])
    if not len(times):
        return Times(requests=0, mean=0.0, p50=0.0, p95=0.0, p99=0.0)
    return Times(
        requests=len(times),
        mean=int(times.sum()) / len(times) / SECOND,
        p50=percentile(times, 50) / SECOND,
        p95=percentile(times, 95) / SECOND,
        p99=percentile(times, 99) / SECOND,
    )
