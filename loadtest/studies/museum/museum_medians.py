"""The rounds of a server, brought to one row of each class."""

import statistics
from collections.abc import Sequence
from typing import Any

from loadtest.figures.request_figures import COLUMNS, Row

_SUMMED = ("requests", "failures")
_EXTREMES = {"min_ms": min, "max_ms": max}
_OF_ROUNDS = ("generator_cores", "server_cores", "cpu_ms_per_request")


def medians(rounds: Sequence[Row]) -> list[Row]:
    """One row per number of connections and server: requests and failures of all rounds together,
    the least and the most time of any, medians of all else.

    Rounds that were interrupted count only where a server has no other.
    """
    found = []
    for connections, server in dict.fromkeys((r["connections"], r["server"]) for r in rounds):
        group = [r for r in rounds if (r["connections"], r["server"]) == (connections, server)]
        whole = [r for r in group if r["complete"]] or group
        found.append(
            {
                "server": server,
                "connections": connections,
                "rounds": len(whole),
                "complete": all(row["complete"] for row in whole),
                "client_bound": any(row["client_bound"] for row in group),
                **{key: median([row.get(key) for row in whole]) for key in _OF_ROUNDS},
                "rows": {
                    kind: _one([row["rows"][kind] for row in whole]) for kind in whole[0]["rows"]
                },
            }
        )
    return found


def _one(rows: Sequence[Row]) -> Row:
    one: Row = {}
    for key in COLUMNS:
        values = [row[key] for row in rows if row[key] is not None]
        if key in _SUMMED:
            one[key] = sum(values)
        elif key in _EXTREMES:
            one[key] = _EXTREMES[key](values) if values else None
        else:
            one[key] = median(values)
    return one


def median(values: Sequence[Any]) -> float | None:
    """Of those that are not None; None where there is none."""
    numbers = [value for value in values if value is not None]
    return round(statistics.median(numbers), 4) if numbers else None
