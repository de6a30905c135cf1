"""The comparison in tables: the appendix's own, and servers side by side with ratios."""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from loadtest.figures.request_figures import COLUMNS, Row, describe_interruption
from loadtest.report.format_figure import format_figure
from loadtest.studies.museum.museum_classes import ANY

SOURCE = ("src min", "src max", "derv sz")
CPU = "CPU ms/req"
_COMPARED = {"requests_per_second": "req/s", "median_ms": "median ms", "average_ms": "avg ms"}

MIN_REQUESTS_A_USER = 10
"""In a round: below it, servers are compared on different parts of the sequence."""


class ComparedClass(NamedTuple):
    """One class of requests at one number of connections, for all servers."""

    kind: str
    figure: str
    values: list[float | None]
    """Values by server, in the order of the run."""
    ratios: list[float | None]
    """Factors by which the first server is better than each; above 1 it leads."""


def source_of(kind: str) -> tuple[str, str, str]:
    """Least and most megapixels of the sources, and the size, as the appendix writes them."""
    if kind == ANY:
        return ("any", "any", "any")
    source, _, size = kind.partition(" ")
    least, _, most = source.partition("-")
    return (least, most or "-", size)


def name_class(kind: str) -> str:
    """Return a class in words, for a cell or a chart: `10-75 MP, 1024`."""
    if kind == ANY:
        return ANY
    least, most, size = source_of(kind)
    return f"over {least} MP, {size}" if most == "-" else f"{least}-{most} MP, {size}"


def entry_cells(entry: Row) -> list[list[str]]:
    """Return the appendix's table of one server, with our columns behind its own."""
    cpu = entry.get("cpu_ms", {})
    return [
        [
            *source_of(kind),
            *(format_figure(row[name]) for name in COLUMNS),
            format_figure(cpu.get(kind)),
        ]
        for kind, row in entry["rows"].items()
    ]


def compare_classes(figures: dict[str, Any], connections: int) -> Iterator[ComparedClass]:
    """Yield every class over all servers, and CPU per request where it is known."""
    entries = of_connections(figures, connections)
    for kind in entries[0]["rows"]:
        for figure, name in _COMPARED.items():
            values = [entry["rows"].get(kind, {}).get(figure) for entry in entries]
            yield ComparedClass(
                kind, name, values, ratios_to_first(values, figure == "requests_per_second")
            )
        values = [cpu_of(entry, kind) for entry in entries]
        yield ComparedClass(kind, CPU, values, ratios_to_first(values, False))


def cpu_of(entry: Row, kind: str) -> float | None:
    """Milliseconds a request. Of a round the mix's only: classes have rounds of their own."""
    found: dict[str, float | None] = entry.get("cpu_ms", {ANY: entry.get("cpu_ms_per_request")})
    return found.get(kind)


def of_connections(figures: dict[str, Any], connections: int) -> list[Row]:
    """Return the servers' medians at this number of connections, in the order of the run."""
    order = list(figures["servers"])
    found = [entry for entry in figures["medians"] if entry["connections"] == connections]
    return sorted(found, key=lambda entry: order.index(entry["server"]))


def ratios_to_first(values: Sequence[float | None], more_is_better: bool) -> list[float | None]:
    """Return how many times better the first is than each; None if either is absent or 0."""
    first = values[0]
    if more_is_better:
        return [first / value if first is not None and value else None for value in values]
    return [value / first if first and value is not None else None for value in values]


def list_remarks(figures: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """Yield remarks on the figures, each with True if it makes them worthless."""
    if not figures["complete"]:
        yield describe_interruption(figures), True
    if not figures["same_requests"]:
        yield (
            "The servers were not asked for the same: their images, tiles or limits differ.",
            True,
        )
    if figures["pinned"]["server_core"] is None:
        yield "Servers and generator shared their cores, for there are fewer than two.", True
    elif figures["pinned"]["generator_core"] is None:
        yield "The generator shared the servers' cores, for none was left to it.", False
    for entry in figures["medians"]:
        if entry["client_bound"]:
            yield (
                f"{entry['server']} at {entry['connections']} connections is client-bound: the "
                "generator took over 80 % of its core, so that it measured itself.",
                True,
            )
    yield from _too_short(figures["medians"])
    for entry in figures["medians"]:
        if failures := entry["rows"][ANY]["failures"]:
            yield (
                f"{entry['server']} at {entry['connections']} connections: {failures} failures, "
                f"such as {_failure_example(figures, entry)}",
                False,
            )
    yield from _outside_rounds(figures)
    yield from ((sentence, False) for sentence in _list_behind(figures))


def _outside_rounds(figures: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """Yield what failed where nothing is timed."""
    for name, when in (("checks", "while it was warmed"), ("cpu_rounds", "alone, for its CPU")):
        for row in figures.get(name, ()):
            if row["failures"]:
                example = row["failed"][0]
                yield (
                    f"{row['server']} {when}: {row['failures']} failures, such as "
                    f"{example['fault']} · {example['path']}",
                    False,
                )


def wrong_answers(figures: dict[str, Any]) -> int:
    """Return the failures of the whole run: its rounds, the warming, and classes alone."""
    others = (*figures["checks"], *figures["cpu_rounds"])
    rows: list[Row] = [*(row["rows"][ANY] for row in figures["rounds"]), *others]
    return sum(int(row["failures"]) for row in rows)


def _too_short(entries: Sequence[Row]) -> Iterator[tuple[str, bool]]:
    """Users ask in an order of their own: a few requests of each are not yet the mix."""
    for entry in entries:
        row = entry["rows"][ANY]
        a_user = (row["requests"] + row["failures"]) / entry["rounds"] / entry["connections"]
        if a_user < MIN_REQUESTS_A_USER:
            yield (
                f"{entry['server']} at {entry['connections']} connections answered only "
                f"{a_user:.1f} requests of each in a round: others got further in the same "
                "sequence, so that their mix is another. Use more --seconds.",
                True,
            )


def _failure_example(figures: dict[str, Any], entry: Row) -> str:
    for row in figures["rounds"]:
        same = (row["server"], row["connections"]) == (entry["server"], entry["connections"])
        if same and row["failed"]:
            return f"{row['failed'][0]['fault']} · {row['failed'][0]['path']}"
    return "none that was kept"


def _list_behind(figures: dict[str, Any]) -> Iterator[str]:
    """Yield every row in which the first server does not lead."""
    servers = list(figures["servers"])
    for connections in dict.fromkeys(entry["connections"] for entry in figures["medians"]):
        names = [entry["server"] for entry in of_connections(figures, connections)]
        if names[0] != servers[0]:
            continue
        for row in compare_classes(figures, connections):
            for name, ratio in zip(names[1:], row.ratios[1:], strict=True):
                if ratio is not None and ratio < 1:
                    yield (
                        f"{servers[0]} is behind {name} at {connections} connections: "
                        f"{name_class(row.kind)}, {row.figure}, {ratio:.2f} x"
                    )


def write_csv(figures: dict[str, Any], folder: Path) -> None:
    """Write `rows.csv`, a line for each class of every round, and of the medians."""
    with (folder / "rows.csv").open("w", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        head = ["server", "connections", "round", "complete", *SOURCE, *COLUMNS.values()]
        lines.writerow([*head, CPU, "generator cores", "client-bound"])
        for entry in (*figures["rounds"], *figures["medians"]):
            for kind, row in entry["rows"].items():
                lines.writerow(
                    [
                        entry["server"],
                        entry["connections"],
                        entry.get("round", "median"),
                        entry["complete"],
                        *source_of(kind),
                        *(row[name] for name in COLUMNS),
                        cpu_of(entry, kind),
                        entry["generator_cores"] if kind == ANY else None,
                        entry["client_bound"] if kind == ANY else None,
                    ]
                )
