"""The rounds of the study brought to one row of each request and server."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from loadtest.figures.order_statistics import median
from loadtest.figures.round_medians import group_rows

Row = dict[str, Any]
_KEYS = ("photograph", "request", "server")
_CPU = "cpu_ms"


def pack_rows(rows: Sequence[Row]) -> dict[str, Any]:
    """Return rows of equal keys as a table with one header, a third of the bytes.

    `cpu_ms` is a list in the order of `processes` of the row's server. Names are numbers, counted
    in `photograph`, `request` and `server`.
    """
    names = {key: list(dict.fromkeys(row[key] for row in rows)) for key in _KEYS}
    columns = list(rows[0]) if rows else []

    def pack(row: Row, key: str) -> Any:
        if key in _KEYS:
            return names[key].index(row[key])
        return list(row[key].values()) if key == _CPU else row[key]

    processes = {row["server"]: list(row[_CPU]) for row in rows if _CPU in row}
    packed = [[pack(row, key) for key in columns] for row in rows]
    return {**names, "processes": processes, "columns": columns, "rows": packed}


def unpack_rows(table: Mapping[str, Any]) -> list[Row]:
    """Return the rows that `pack_rows` was given."""
    rows = []
    for values in table["rows"]:
        row = dict(zip(table["columns"], values, strict=True))
        for key in _KEYS:
            row[key] = table[key][row[key]]
        if _CPU in row:
            row[_CPU] = dict(zip(table["processes"][row["server"]], row[_CPU], strict=True))
        rows.append(row)
    return rows


def answer_medians(rounds: Sequence[Row], checks: Sequence[Row]) -> list[Row]:
    """Return one row per request and server: the mean over photographs of the rounds' medians.

    Only photographs count that every server of the request has answered rightly; `photographs`
    says how many. CPU is that of all processes; `cpu_ms_by_process` is of each. Bytes and decibels
    are those of `checks`, None where answers were not checked (they are another server's) or have
    no pixels.
    """
    checked = {tuple(row[key] for key in _KEYS): row for row in checks}
    medians = []
    for (request,), of_request in group_rows(rounds, "request"):
        by_server = dict(group_rows(of_request, "server"))
        common = set.intersection(
            *({row["photograph"] for row in rows} for rows in by_server.values())
        )
        for (server,), rows in by_server.items():
            groups = [group for (name,), group in group_rows(rows, "photograph") if name in common]
            answers = [checked.get((name, request, server)) for name in sorted(common)]
            medians.append(
                {
                    "request": request,
                    "server": server,
                    "photographs": len(common),
                    "rounds": min(map(len, groups)),
                    "failures": sum(row["failures"] for row in rows),
                    "cpu_ms": _mean_median(groups, lambda row: sum(row["cpu_ms"].values())),
                    "cpu_ms_by_process": {
                        name: _mean_median(groups, partial(_cpu_of, name))
                        for name in rows[0]["cpu_ms"]
                    },
                    "p50_ms": _mean_median(groups, lambda row: row["p50_ms"]),
                    "bytes": _rounded_mean([row["bytes"] for row in answers if row], 0),
                    "psnr_db": _rounded_mean(
                        [row["psnr_db"] for row in answers if row and row["psnr_db"] is not None], 2
                    ),
                }
            )
    return medians


def _cpu_of(process: str, row: Row) -> float:
    return float(row["cpu_ms"][process])


def _rounded_mean(values: Sequence[float], digits: int) -> float | None:
    return round(sum(values) / len(values), digits) if values else None


def _mean_median(groups: Sequence[Sequence[Row]], value: Callable[[Row], float]) -> float:
    return round(sum(median(map(value, group)) for group in groups) / len(groups), 3)
