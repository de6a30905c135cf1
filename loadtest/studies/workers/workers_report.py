"""The tuning table."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from loadtest.figures.request_figures import Row, describe_interruption
from loadtest.report.charts import bar_chart
from loadtest.report.document import Heading, Part, Table, Text, captioned_chart, frame_parts
from loadtest.report.format_figure import format_figure
from loadtest.report.saved_run import Report

_PROCESSES = "iipsrv processes"
HEADER = (
    *(_PROCESSES, "bench.py params", "requests/second", "worst response, s"),
    *("server", "median ms", "p99 ms", "CPU ms/req", "requests", "# fail"),
    *("server cores", "generator cores"),
)
"""The study's four columns first, and in its order; then ours."""


def format_cells(row: Row) -> list[str]:
    """Return a line of the table; bench.py's parameters are requests, per cent cached, clients."""
    worst = None if row["worst_ms"] is None else row["worst_ms"] / 1_000
    return [
        str(row["processes"]),
        f"{row['cache_percent']} {row['clients']}",
        format_figure(row["requests_per_second"]),
        format_figure(worst),
        row["server"],
        *(format_figure(row[name]) for name in ("median_ms", "p99_ms", "cpu_ms_per_request")),
        *(f"{row[name]:,}" for name in ("requests", "failures")),
        *(format_figure(row[name]) for name in ("server_cores", "generator_cores")),
    ]


def order_rows(figures: dict[str, Any]) -> list[Row]:
    """Return the rows by share, then server, processes, and clients."""
    names = list(figures["servers"])
    return sorted(
        figures["medians"],
        key=lambda row: (
            -row["cache_percent"],
            names.index(row["server"]),
            row["processes"],
            row["clients"],
        ),
    )


def list_remarks(figures: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """Yield remarks on the figures, each with True if it makes them worthless."""
    if not figures["complete"]:
        yield describe_interruption(figures), True
    if figures["pinned"]["server_core"] is None:
        yield "Servers and generator shared their cores, for there are fewer than two.", True
    for row in order_rows(figures):
        if row["client_bound"]:
            yield (
                f"{_name_row(row)} is client-bound: the generator took over 80 % of its core, so "
                "that it measured itself.",
                True,
            )
    for row in order_rows(figures):
        if row["failures"]:
            yield (
                f"{_name_row(row)}: {row['failures']} failures, such as "
                f"{_failure_example(figures, row)}",
                False,
            )
    for row in figures.get("checks", ()):
        if row["failures"]:
            example = row["failed"][0]
            yield (
                f"{row['server']} with {row['processes']} processes while it was warmed: "
                f"{row['failures']} failures, such as {example['fault']} · {example['path']}",
                False,
            )
    yield from ((sentence, False) for sentence in _list_best(figures))


def _name_row(row: Row) -> str:
    return (
        f"{row['server']} with {row['processes']} processes, {row['clients']} clients, "
        f"{row['cache_percent']} % from cache"
    )


def _failure_example(figures: dict[str, Any], row: Row) -> str:
    keys = ("server", "processes", "clients", "cache_percent")
    for entry in figures["rounds"]:
        if entry["failed"] and all(entry[key] == row[key] for key in keys):
            return f"{entry['failed'][0]['fault']} · {entry['failed'][0]['path']}"
    return "none that was kept"


def _list_best(figures: dict[str, Any]) -> Iterator[str]:
    """Yield the processes that answered most, by server, share and number of clients."""
    groups: dict[tuple[str, int, int], list[Row]] = {}
    for row in order_rows(figures):
        key = row["server"], row["cache_percent"], row["clients"]
        groups.setdefault(key, []).append(row)
    for (server, percent, clients), rows in groups.items():
        if len(rows) > 1:
            best = max(rows, key=lambda row: row["requests_per_second"] or 0)
            processes = "1 process" if best["processes"] == 1 else f"{best['processes']} processes"
            yield (
                f"{server}, {percent} % from cache, {clients} clients: most requests a second with "
                f"{processes} ({format_figure(best['requests_per_second'])})."
            )


def report_parts(figures: dict[str, Any]) -> list[Part]:
    """Return the report: a table of each share from the cache, and remarks."""
    parts: list[Part] = [Text(_describe_rounds(figures))]
    parts += [Text(f"{name}: {what}.") for name, what in figures["servers"].items()]
    for percent in dict.fromkeys(row["cache_percent"] for row in order_rows(figures)):
        parts += _share_parts(figures, percent)
    return frame_parts(list_remarks(figures), parts)


def _share_parts(figures: dict[str, Any], percent: int) -> list[Part]:
    rows = [row for row in order_rows(figures) if row["cache_percent"] == percent]
    clients = list(dict.fromkeys(row["clients"] for row in rows))
    found = {(row["server"], row["processes"], row["clients"]): row for row in rows}
    parts: list[Part] = [Heading(f"{percent} % from cache")]
    for key, unit, caption in (
        ("requests_per_second", "/s", "Requests per second"),
        ("worst_ms", "ms", "Worst response, milliseconds"),
    ):
        groups = {
            f"{server} x {count}": [
                found.get((server, count, number), {}).get(key) for number in clients
            ]
            for server, count in dict.fromkeys((row["server"], row["processes"]) for row in rows)
        }
        names = [f"{number} clients" for number in clients]
        chart = bar_chart(f"{caption}, {percent} %", groups, names, unit, one_scale=True)
        parts.append(captioned_chart(caption, chart))
    bad = {
        (down, across)
        for down, row in enumerate(rows)
        for across in range(len(HEADER))
        if row["client_bound"] or (row["failures"] and HEADER[across] == "# fail")
    }
    table = Table("Tuning table", HEADER, [format_cells(row) for row in rows], bad=frozenset(bad))
    return [*parts, table]


def _describe_rounds(figures: dict[str, Any]) -> str:
    scenario = figures["scenario"]
    return (
        f"Rounds: {scenario['rounds']}, of {scenario['seconds']:g} s for each line, servers in "
        f"turns, each round another first; seed {scenario['seed']}, {len(figures['images'])} "
        "images. bench.py params are the per cent of requests for what was asked for before, and "
        "the clients at once. Requests and failures are of all rounds, the worst response that "
        "of any, other figures medians of the rounds. Servers ran on one core, the generator on "
        "another, with access masters on the local disk and no edge before them."
    )


def write_csv(figures: dict[str, Any], folder: Path) -> None:
    """Write `rows.csv`, a line for every round and for the medians."""
    keys = (
        *("processes", "cache_percent", "clients", "requests_per_second", "worst_ms", "server"),
        *("median_ms", "average_ms", "p95_ms", "p99_ms", "average_bytes", "cpu_ms_per_request"),
        *("requests", "failures", "server_cores", "generator_cores", "client_bound", "complete"),
    )
    with (folder / "rows.csv").open("w", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(["round", *keys])
        for row in figures["rounds"]:
            values = {**row, "worst_ms": row["max_ms"]}
            lines.writerow([row["round"], *(values[key] for key in keys)])
        for row in order_rows(figures):
            lines.writerow(["median", *(row[key] for key in keys)])


REPORT = Report(
    bench="workers",
    title="How many iipsrv processes",
    parts=report_parts,
    write_tables=write_csv,
)
