"""Output of a run: a line of JSON per second, and one at the end with the report's columns."""

import json
from typing import Any

from locust.stats import StatsEntry

from loadtest.figures.generator_limit import is_generator_limited
from loadtest.locust.locust_run import LocustRun


def print_progress(run: LocustRun) -> None:
    """Print a line of progress."""
    run.load.look()
    options: Any = run.environment.parsed_options
    if not options.report_json:
        return
    total = run.environment.stats.total
    counts = {"requests": total.num_requests, "failures": total.num_failures}
    _print_line("progress", {"stage": run.stage, "seconds": round(run.elapsed, 1)} | counts)


def print_result(run: LocustRun) -> None:
    """Print a line with all figures."""
    _print_line("result", result_of(run))


def result_of(run: LocustRun) -> dict[str, Any]:
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


def _print_line(kind: str, values: dict[str, Any]) -> None:
    print(json.dumps({"line": kind} | values), flush=True)
