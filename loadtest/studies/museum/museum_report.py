"""The comparison of image servers."""

from typing import Any

from loadtest.figures.request_figures import COLUMNS, Row
from loadtest.report.charts import bar_chart
from loadtest.report.document import Heading, Part, Table, Text, captioned_chart, frame_parts
from loadtest.report.format_figure import format_figure
from loadtest.report.saved_run import Report
from loadtest.studies.museum.museum_classes import ANY
from loadtest.studies.museum.museum_tables import (
    CPU,
    SOURCE,
    compare_classes,
    entry_cells,
    list_remarks,
    name_class,
    of_connections,
    write_csv,
)

_HEADER = [*SOURCE, *COLUMNS.values(), CPU]
_CLIENT_BOUND = "client-bound"


def report_parts(figures: dict[str, Any]) -> list[Part]:
    """Return the report: tables by server and number of connections, ratios, remarks."""
    parts: list[Part] = [Text(_describe_rounds(figures))]
    parts += [Text(f"{name}: {what}.") for name, what in figures["servers"].items()]
    for connections in _list_stages(figures):
        parts += _stage_parts(figures, connections)
    return frame_parts(list_remarks(figures), parts)


def _list_stages(figures: dict[str, Any]) -> list[int]:
    return list(dict.fromkeys(entry["connections"] for entry in figures["medians"]))


def _stage_parts(figures: dict[str, Any], connections: int) -> list[Part]:
    entries = of_connections(figures, connections)
    names = [entry["server"] for entry in entries]
    parts: list[Part] = [Heading(f"{connections} connections")]
    for figure, unit, caption in (
        ("requests_per_second", "/s", "Requests per second"),
        ("median_ms", "ms", "Median, milliseconds"),
    ):
        groups = {
            name_class(kind): [entry["rows"].get(kind, {}).get(figure) for entry in entries]
            for kind in entries[0]["rows"]
        }
        chart = bar_chart(f"{caption}, {connections} connections", groups, names, unit)
        parts.append(captioned_chart(caption, chart))
    head, *rows = _side_by_side(figures, connections)
    parts.append(Table("Side by side", head, rows))
    for entry in entries:
        rows = entry_cells(entry)
        failures = _HEADER.index("# fail")
        bad = {(down, failures) for down, row in enumerate(rows) if row[failures] != "0"}
        if entry["client_bound"]:
            bad |= {(down, column) for down in range(len(rows)) for column in range(len(_HEADER))}
        parts.append(Table(_caption_entry(entry), _HEADER, rows, bad=frozenset(bad)))
    return parts


def _side_by_side(figures: dict[str, Any], connections: int) -> list[list[str]]:
    """Return each figure of each class for all servers, and the first server's lead."""
    names = [entry["server"] for entry in of_connections(figures, connections)]
    rows = [["source and size", "figure", names[0]]]
    for name in names[1:]:
        rows[0] += [name, f"{names[0]} leads"]
    for row in compare_classes(figures, connections):
        line = [name_class(row.kind), row.figure, format_figure(row.values[0])]
        for value, ratio in zip(row.values[1:], row.ratios[1:], strict=True):
            line += [format_figure(value), "-" if ratio is None else f"{ratio:.2f} x"]
        rows.append(line)
    return rows


def _caption_entry(entry: Row) -> str:
    rounds = "round" if entry["rounds"] == 1 else "rounds"
    words = [
        f"{entry['server']}, {entry['connections']} connections, {entry['rounds']} {rounds}",
        f"generator at {100 * (entry['generator_cores'] or 0):.0f} % of a core",
    ]
    if entry["cpu_ms_per_request"] is not None:
        words.insert(1, f"{format_figure(entry['cpu_ms_per_request'])} CPU ms per request")
    if entry["client_bound"]:
        words.append(_CLIENT_BOUND)
    if not entry["complete"]:
        words.append("interrupted")
    return "; ".join(words)


def _describe_rounds(figures: dict[str, Any]) -> str:
    scenario = figures["scenario"]
    sources = len({tuple(image) for image in figures["images"]})
    return (
        f"Rounds: {scenario['rounds']}, of {scenario['seconds']:g} s at each number of "
        f"connections, servers in turns, each round another first; seed {scenario['seed']}, "
        f"{sources} images. "
        "Requests and failures are of all rounds, other figures medians of the rounds, least and "
        "most those of any. Times are milliseconds, sizes bytes. A row's requests per second "
        f"follow from its share of the mix. {CPU} is user and system time of all processes of the "
        f"server for each request: in the row {ANY} during the mix, in others while that class "
        "alone was asked for by two clients, in rounds of its own. "
        f"{_describe_cores(figures)}, with access masters on the local disk."
    )


def _describe_cores(figures: dict[str, Any]) -> str:
    number = figures["scenario"].get("server_cores", 1)
    servers = "on one core" if number == 1 else f"on {number} cores"
    shared = figures["pinned"]["generator_core"] is None
    generator = "the generator on the same" if shared else "the generator on another"
    return f"Servers ran {servers}, all processes of each together, {generator}"


REPORT = Report(
    bench="report",
    title="Image servers compared as in the museum's report",
    parts=report_parts,
    write_tables=write_csv,
)
