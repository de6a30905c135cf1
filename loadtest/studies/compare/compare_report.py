"""Saved runs side by side, as text, CSV and a page."""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from loadtest.report.aligned_text import align_rows
from loadtest.report.charts import bar_chart
from loadtest.report.document import (
    Heading,
    Part,
    Table,
    Text,
    captioned_chart,
    html_page,
    machine_part,
)
from loadtest.report.format_figure import format_figure

_RATE = "req/s"
_DRAWN = 40
"""Lines that a chart can hold and still be read."""


def format_text(compared: dict[str, Any]) -> str:
    """Return text for a terminal."""
    said = [f"{entry['run']} {entry['words']}" for entry in compared["remarks"]]
    blocks = [align_rows(_compared_table(compared)), "\n".join([*said, *_compared_notes(compared)])]
    return "\n\n".join(block for block in blocks if block)


def format_page(compared: dict[str, Any], machine: Mapping[str, Any]) -> str:
    """Return a page that needs no other file. `machine` is where they were compared."""
    parts: list[Part] = [
        Text(f"{entry['run']} {entry['words']}", bad=entry["bad"]) for entry in compared["remarks"]
    ]
    first = compared["runs"][0]["name"]
    runs = "; ".join(f"{run['name']} ({run['measured_at']})" for run in compared["runs"])
    parts.append(Text(f"{runs}. Ratios are each value divided by that of {first}."))
    parts += _rates_chart(compared)
    header, *rows = _compared_table(compared)
    parts.append(Table("Side by side", header, rows))
    if notes := _compared_notes(compared):
        parts += [Heading("Where the runs differ"), *map(Text, notes)]
    parts += [Heading("Compared on"), machine_part(machine)]
    return html_page(f"Runs of {compared['kind']} compared", parts)


def _rates_chart(compared: dict[str, Any]) -> list[Part]:
    groups = {row["line"]: row["values"] for row in compared["rows"] if row["figure"] == _RATE}
    if not 0 < len(groups) <= _DRAWN:
        return []
    names = [run["name"] for run in compared["runs"]]
    numbered = {f"line {number}": values for number, values in enumerate(groups.values(), 1)}
    key = "; ".join(f"{number}: {line}" for number, line in enumerate(groups, 1))
    chart = bar_chart("Requests per second", numbered, names, "/s")
    return [captioned_chart("Requests per second", chart), Text(key)]


def _compared_table(compared: dict[str, Any]) -> list[list[str]]:
    names = [run["name"] for run in compared["runs"]]
    header = ["line", "figure", names[0]]
    for name in names[1:]:
        header += [name, "ratio"]
    rows = [header]
    for row in compared["rows"]:
        cells = [row["line"], row["figure"], format_figure(row["values"][0])]
        for value, ratio in zip(row["values"][1:], row["ratios"][1:], strict=True):
            cells += [format_figure(value), "-" if ratio is None else f"{ratio:.2f} x"]
        rows.append(cells)
    return rows


def _compared_notes(compared: dict[str, Any]) -> list[str]:
    notes = list(compared["differences"])
    if compared["left_out"]:
        shown = "; ".join(compared["left_out"][:5])
        notes.append(f"{len(compared['left_out'])} lines are not in all of them, such as {shown}")
    return notes


def write_csv(compared: dict[str, Any], path: Path) -> None:
    """Write a line for each figure."""
    names = [run["name"] for run in compared["runs"]]
    with path.open("w", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(["line", "figure", *names, *(f"ratio {name}" for name in names[1:])])
        for row in compared["rows"]:
            lines.writerow([row["line"], row["figure"], *row["values"], *row["ratios"][1:]])
