"""The rounds of a server, brought to one row of each class."""

from collections.abc import Sequence

from loadtest.figures.order_statistics import rounded_median
from loadtest.figures.request_figures import COLUMNS, Row
from loadtest.figures.round_medians import complete_rows, group_rows

_SUMMED = ("requests", "failures")
_EXTREMES = {"min_ms": min, "max_ms": max}
_OF_ROUNDS = ("generator_cores", "server_cores", "cpu_ms_per_request")


def museum_medians(rounds: Sequence[Row]) -> list[Row]:
    """Return one row per number of connections and server: requests and failures of all rounds
    together, the least and the most time of any, medians of all else.

    Rounds that were interrupted count only where a server has no other.
    """
    rows = []
    for (connections, server), group in group_rows(rounds, "connections", "server"):
        whole = complete_rows(group)
        rows.append(
            {
                "server": server,
                "connections": connections,
                "rounds": len(whole),
                "complete": all(row["complete"] for row in whole),
                "client_bound": any(row["client_bound"] for row in group),
                **{key: rounded_median([row.get(key) for row in whole]) for key in _OF_ROUNDS},
                "rows": {
                    kind: _merge_rounds([row["rows"][kind] for row in whole])
                    for kind in whole[0]["rows"]
                },
            }
        )
    return rows


def _merge_rounds(rows: Sequence[Row]) -> Row:
    merged: Row = {}
    for key in COLUMNS:
        values = [row[key] for row in rows if row[key] is not None]
        if key in _SUMMED:
            merged[key] = sum(values)
        elif key in _EXTREMES:
            merged[key] = _EXTREMES[key](values) if values else None
        else:
            merged[key] = rounded_median(values)
    return merged
