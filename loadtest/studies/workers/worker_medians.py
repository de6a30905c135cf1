"""The rounds of each cell of the table of processes, brought to one row."""

from collections.abc import Sequence

from loadtest.figures.order_statistics import rounded_median
from loadtest.figures.request_figures import Row
from loadtest.figures.round_medians import complete_rows, group_rows

CELL = ("cache_percent", "clients", "processes", "server")
_SUMMED = ("requests", "failures")
_MEDIANS = (
    *("requests_per_second", "median_ms", "average_ms", "p95_ms", "p99_ms", "average_bytes"),
    *("cpu_ms_per_request", "server_cores", "generator_cores"),
)


def worker_medians(rounds: Sequence[Row]) -> list[Row]:
    """Return a row for each cell: requests and failures of all its rounds together, the worst
    response of any, medians of all else; by cell, most cached first.

    Rounds that were interrupted count only where a cell has no other.
    """
    rows = []
    for cell, group in sorted(group_rows(rounds, *CELL), key=lambda pair: pair[0]):
        whole = complete_rows(group)
        worst = [row["max_ms"] for row in whole if row["max_ms"] is not None]
        rows.append(
            {
                **dict(zip(CELL, cell, strict=True)),
                "rounds": len(whole),
                "complete": all(row["complete"] for row in whole),
                **{name: sum(row[name] for row in whole) for name in _SUMMED},
                "worst_ms": max(worst) if worst else None,
                **{name: rounded_median([row[name] for row in whole]) for name in _MEDIANS},
                "client_bound": any(row["client_bound"] for row in group),
            }
        )
    return sorted(rows, key=lambda row: -row["cache_percent"])
