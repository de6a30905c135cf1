"""The rounds of each cell of the tuning table, brought to one row."""

import statistics
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from loadtest.figures.request_figures import Row

CELL = ("cache_percent", "clients", "processes", "server")
_SUMMED = ("requests", "failures")
_MIDDLE = (
    *("requests_per_second", "median_ms", "average_ms", "p95_ms", "p99_ms", "average_bytes"),
    *("cpu_ms_per_request", "server_cores", "generator_cores"),
)


def medians(rounds: Sequence[Row]) -> list[Row]:
    """A row for each cell: requests and failures of all its rounds together, the worst response of
    any, medians of all else.

    Rounds that were interrupted count only where a cell has no other.
    """
    found = []
    key = itemgetter(*CELL)
    for cell, group in groupby(sorted(rounds, key=key), key):
        rows = list(group)
        whole = [row for row in rows if row["complete"]] or rows
        worst = [row["max_ms"] for row in whole if row["max_ms"] is not None]
        found.append(
            {
                **dict(zip(CELL, cell, strict=True)),
                "rounds": len(whole),
                "complete": all(row["complete"] for row in whole),
                **{name: sum(row[name] for row in whole) for name in _SUMMED},
                "worst_ms": max(worst) if worst else None,
                **{name: _median([row[name] for row in whole]) for name in _MIDDLE},
                "client_bound": any(row["client_bound"] for row in rows),
            }
        )
    return sorted(found, key=lambda row: -row["cache_percent"])


def _median(values: Sequence[Any]) -> float | None:
    numbers = [value for value in values if value is not None]
    return round(statistics.median(numbers), 4) if numbers else None
