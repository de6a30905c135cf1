"""A row of a report's table: counts, times and sizes of one class of requests."""

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from loadtest.figures.order_statistics import median, percentile
from loadtest.workload.answers import Answer

Row = dict[str, Any]
COLUMNS = {
    "requests": "# req",
    "failures": "# fail",
    "median_ms": "median",
    "average_ms": "avg",
    "min_ms": "min",
    "max_ms": "max",
    "average_bytes": "avg sz",
    "requests_per_second": "req/s",
    "p95_ms": "p95",
    "p99_ms": "p99",
}
"""Keys of a row and their names in the report's appendix 2, in its order; the percentiles at the
end are ours. Times are milliseconds, sizes bytes."""
_EXAMPLES = 10


def row_of(answers: Iterable[Answer], seconds: float) -> Row:
    """Return the row of these answers; `seconds` is how long the run lasted.

    As in the report, `requests` are those completed successfully, and times and sizes theirs;
    None without any."""
    answers = list(answers)
    good = [answer for answer in answers if not answer.fault]
    times = sorted(1_000 * answer.seconds for answer in good)
    row: Row = dict.fromkeys(COLUMNS)
    row |= {
        "requests": len(good),
        "failures": len(answers) - len(good),
        "requests_per_second": round(len(good) / seconds, 3) if seconds else 0.0,
    }
    if not times:
        return row
    return row | {
        "median_ms": round(median(times), 3),
        "average_ms": round(statistics.fmean(times), 3),
        "min_ms": round(times[0], 3),
        "max_ms": round(times[-1], 3),
        "p95_ms": round(percentile(times, 95), 3),
        "p99_ms": round(percentile(times, 99), 3),
        "average_bytes": round(statistics.fmean(answer.bytes for answer in good)),
    }


def describe_interruption(figures: Mapping[str, Any]) -> str:
    """Return the first sentence about a run that did not come to its end."""
    reason = figures.get("stopped_by")
    return f"The run was interrupted: these are partial results.{f' {reason}' if reason else ''}"


def count_faults(answers: Iterable[Answer]) -> list[dict[str, Any]]:
    """Return the commonest faults, how often each occurred, and an address that had it."""
    wrong = [answer for answer in answers if answer.fault]
    paths = {answer.fault: answer.target.path for answer in reversed(wrong)}
    return [
        {"times": times, "fault": fault, "path": paths[fault]}
        for fault, times in Counter(answer.fault for answer in wrong).most_common(_EXAMPLES)
    ]
