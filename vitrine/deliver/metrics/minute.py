"""One log line a minute with what a gateway process did: CloudWatch makes metrics of it.

CloudWatch extracts what `_aws` names (Embedded Metric Format, no agent and no permission needed)
and sums it over processes and tasks. Each metric costs $0.30 a month, so few are named: those that
alarms and the dashboard use. Everything else in the line is free, for Logs Insights.
"""

from typing import Any

from vitrine.deliver.metrics.catalogue import PREFIX
from vitrine.deliver.metrics.counters import BOUNDS, Samples, is_counter

NAMESPACE = "Vitrine/Gateway"
MESSAGE = "What the gateway did in a minute."
SLOW_TILE_SECONDS = 0.25
"""A tile that takes longer is not answered as promised (docs/reference/service-levels.md)."""

METRICS: dict[str, str] = {
    "Answers": "Count",
    "ServerErrors": "Count",
    "Tiles": "Count",
    "SlowTiles": "Count",
    "BlockCacheHits": "Count",
    "BlockCacheMisses": "Count",
    "StoreRequests": "Count",
    "StoreRetries": "Count",
    "StoreFailures": "Count",
    "DamagedReads": "Count",
    "Renders": "Count",
    "RendersRefused": "Count",
    "CeilingsReached": "Count",
    "UnwritableCaches": "Count",
    "IdentifiersTableLost": "Count",
    "IdentifiersTableSilent": "Count",
    "MemoryBytes": "Bytes",
}
"""Metrics in CloudWatch, with their units. What each sums is in `_read_metrics`."""


def subtract(now: Samples, before: Samples) -> Samples:
    """Return what was added to counters; gauges as they are."""
    return {
        key: value - before.get(key, 0) if is_counter(key) else value for key, value in now.items()
    }


def minute_fields(
    added: Samples, *, environment: str, process: int, milliseconds: int
) -> dict[str, Any]:
    """Return the fields of the line; `added` is as of `subtract`, the time since 1970."""
    metrics = _read_metrics(added)
    return {
        "_aws": {
            "Timestamp": milliseconds,
            "CloudWatchMetrics": [
                {
                    "Namespace": NAMESPACE,
                    "Dimensions": [["Environment"]],
                    "Metrics": [{"Name": name, "Unit": unit} for name, unit in METRICS.items()],
                }
            ],
        },
        "Environment": environment,
        "process": process,
        **metrics,
        "percentile_95_ms": _answer_percentiles(added, 0.95),
        "added": {
            key.removeprefix(PREFIX): round(value, 6)
            for key, value in sorted(added.items())
            if value and "_bucket{" not in key
        },
    }


def _read_metrics(added: Samples) -> dict[str, float]:
    tiles = _count_answers(added, "tile")
    values = {
        "Answers": _sum_samples(added, "answers_total"),
        "ServerErrors": _sum_samples(added, "answers_total", 'status="5'),
        "Tiles": tiles,
        "SlowTiles": tiles - _count_below(added, "tile", SLOW_TILE_SECONDS),
        "BlockCacheHits": _sum_samples(added, "block_reads_total", 'found="cache"'),
        "BlockCacheMisses": _sum_samples(added, "block_reads_total", 'found="store"'),
        "StoreRequests": _sum_samples(added, "store_requests_total"),
        "StoreRetries": _sum_samples(added, "store_retries_total"),
        "StoreFailures": _sum_samples(added, "store_failures_total")
        + _sum_samples(added, "faults_total", '"publications-unreadable"'),
        "DamagedReads": _sum_samples(added, "damaged_reads_total"),
        "Renders": _sum_samples(added, "renders_total"),
        "RendersRefused": _sum_samples(added, "renders_refused_total")
        + _sum_samples(added, "gave_way_total", '"refused"'),
        "CeilingsReached": _sum_samples(added, "ceilings_reached_total"),
        "UnwritableCaches": _sum_samples(added, "unwritable_caches"),
        "IdentifiersTableLost": _sum_samples(added, "faults_total", '"identifiers-table-lost"'),
        "IdentifiersTableSilent": _sum_samples(added, "faults_total", '"identifiers-table-silent"'),
        "MemoryBytes": _sum_samples(added, "memory_bytes"),
    }
    return {name: values[name] for name in METRICS}


def _sum_samples(added: Samples, name: str, part: str = "") -> float:
    """Return the sum of a metric's samples whose labels contain `part`."""
    start = f"{PREFIX}{name}"
    return sum(
        value for key, value in added.items() if key.partition("{")[0] == start and part in key
    )


def _count_answers(added: Samples, kind: str) -> float:
    return added.get(f'{PREFIX}answer_seconds_count{{kind="{kind}"}}', 0)


def _count_below(added: Samples, kind: str, bound: float | str) -> float:
    return added.get(f'{PREFIX}answer_seconds_bucket{{kind="{kind}",le="{bound}"}}', 0)


def _answer_percentiles(added: Samples, share: float) -> dict[str, float]:
    """Return the milliseconds within which this share was answered, by kind of request."""
    start = f'{PREFIX}answer_seconds_count{{kind="'
    kinds = [key.removeprefix(start)[:-2] for key in added if key.startswith(start)]
    return {
        kind: round(1000 * percentile(added, kind, share), 1)
        for kind in sorted(kinds)
        if _count_answers(added, kind)
    }


def percentile(samples: Samples, kind: str, share: float) -> float:
    """Return an estimate of a percentile, in seconds: linear within its bucket, as Prometheus does.

    Above the last bound, that bound. Needs at least one answer of this kind.
    """
    rank = share * _count_answers(samples, kind)
    low, below = 0.0, 0.0
    for bound in BOUNDS:
        count = _count_below(samples, kind, bound)
        if count >= rank:
            return low + (bound - low) * (rank - below) / ((count - below) or 1)
        low, below = bound, count
    return BOUNDS[-1]
