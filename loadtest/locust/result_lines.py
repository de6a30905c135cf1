"""Output of a run: a line of JSON per second, and one at the end with the report's columns."""

import json
import os
import time
from typing import TYPE_CHECKING, Any

from locust.env import Environment
from locust.stats import StatsEntry

from loadtest.figures.generator_limit import is_generator_limited
from loadtest.workload.decode import Sample

if TYPE_CHECKING:
    from loadtest.locust.locust_run import Run

_LEAST_SECONDS = 0.5
_CPU = "vitrine-cpu-percent"
_DECODED = "vitrine-decoded"


class GeneratorLoad:
    """The CPU use of the generators."""

    def __init__(self) -> None:
        self.percent = 0.0
        """Per cent of a core: the busiest process, in its busiest time."""
        self._start = self._before = self._now()
        self._elsewhere: dict[str, float] = {}

    @property
    def seconds(self) -> float:
        """CPU seconds of all processes."""
        return self._now()[1] - self._start[1] + sum(self._elsewhere.values())

    def listen(self, environment: Environment) -> None:
        """Make workers report to their masters."""
        environment.events.report_to_master.add_listener(
            lambda client_id, data, **_: data.update({_CPU: (self.look(), self.seconds)})
        )
        environment.events.worker_report.add_listener(
            lambda client_id, data, **_: self._note_worker(client_id, *data.get(_CPU, (0.0, 0.0)))
        )

    def look(self) -> float:
        """Measure this process since the last look, and return the most so far in per cent."""
        wall, cpu = self._now()
        if wall - self._before[0] >= _LEAST_SECONDS:
            self._note_percent(100 * (cpu - self._before[1]) / (wall - self._before[0]))
            self._before = wall, cpu
        return self.percent

    def _note_worker(self, worker: str, percent: float, seconds: float) -> None:
        self._note_percent(percent)
        self._elsewhere[worker] = seconds

    def _note_percent(self, percent: float) -> None:
        self.percent = max(self.percent, percent)

    @staticmethod
    def _now() -> tuple[float, float]:
        times = os.times()
        return time.perf_counter(), times.user + times.system


class DecodedCount:
    """The number of answers that were decoded to their last pixel, here and by workers."""

    def __init__(self, sample: Sample) -> None:
        self._sample = sample
        self._elsewhere: dict[str, int] = {}

    @property
    def count(self) -> int:
        """Number of decoded answers of all processes."""
        return self._sample.decoded + sum(self._elsewhere.values())

    def listen(self, environment: Environment) -> None:
        """Make workers report to their masters."""
        environment.events.report_to_master.add_listener(
            lambda client_id, data, **_: data.update({_DECODED: self._sample.decoded})
        )
        environment.events.worker_report.add_listener(
            lambda client_id, data, **_: self._elsewhere.update({client_id: data.get(_DECODED, 0)})
        )


def print_progress(run: "Run") -> None:
    """Print a line of progress."""
    run.load.look()
    options: Any = run.environment.parsed_options
    if not options.report_json:
        return
    total = run.environment.stats.total
    counts = {"requests": total.num_requests, "failures": total.num_failures}
    _print("progress", {"stage": run.stage, "seconds": round(run.elapsed, 1)} | counts)


def print_result(run: "Run") -> None:
    """Print a line with all figures."""
    _print("result", result_of(run))


def result_of(run: "Run") -> dict[str, Any]:
    """JSON-ready: rows per stage and kind, in milliseconds and bytes; every different failure."""
    stats = run.environment.stats
    seconds = dict(run.stages)
    if run.workload.ends and seconds and stats.total.last_request_timestamp:
        # The end was noticed up to a second late.
        [stage] = seconds
        seconds[stage] = stats.total.last_request_timestamp - run.started
    rows = [
        row_of(entry, seconds[entry.method])
        for entry in stats.entries.values()
        if entry.method in run.stages
    ]
    percent = run.load.look()
    return {
        "complete": run.complete,
        "host": run.environment.host,
        "seed": run.scenario.seed,
        "stages": {name: round(length, 3) for name, length in seconds.items()},
        "requests": stats.total.num_requests,
        "failures": stats.total.num_failures,
        "decoded": run.decoded.count,
        "generator_cpu_seconds": round(run.load.seconds, 2),
        "generator_cpu_percent": round(percent, 1),
        "generator_saturated": is_generator_limited(percent / 100),
        "rows": sorted(rows, key=lambda row: (list(run.stages).index(row["stage"]), row["kind"])),
        "failed": [
            {
                "stage": error.method,
                "kind": error.name,
                "error": str(error.error),
                "times": error.occurrences,
            }
            for error in stats.errors.values()
        ],
    }


def row_of(entry: StatsEntry, seconds: float) -> dict[str, Any]:
    """Return a row as in the report's appendix 2, with percentiles."""
    return {
        "stage": entry.method,
        "kind": entry.name,
        "requests": entry.num_requests,
        "failures": entry.num_failures,
        "median_ms": round(entry.median_response_time, 1),
        "average_ms": round(entry.avg_response_time, 1),
        "min_ms": round(entry.min_response_time or 0, 1),
        "max_ms": round(entry.max_response_time, 1),
        "p95_ms": entry.get_response_time_percentile(0.95),
        "p99_ms": entry.get_response_time_percentile(0.99),
        "average_bytes": round(entry.avg_content_length),
        "requests_per_second": round(entry.num_requests / seconds, 2) if seconds else 0.0,
    }


def _print(kind: str, values: dict[str, Any]) -> None:
    print(json.dumps({"line": kind} | values), flush=True)
