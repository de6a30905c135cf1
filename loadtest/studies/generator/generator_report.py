"""What the generators sustain, as text, CSV and a page."""

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from loadtest.report.aligned_text import aligned
from loadtest.report.charts import bars
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

TITLE = "What a generator of load sustains"
COLUMNS = {
    "generator": "generator",
    "requests_per_core_second": "requests/s per core",
    "cpu_ms_per_request": "CPU ms/req",
    "requests_per_second": "requests/s",
    "generator_cores": "generator cores",
    "requests": "requests",
    "failures": "# fail",
}


def rows_of(figures: dict[str, Any]) -> list[list[str]]:
    """Return a line for each generator, the medians of its rounds."""
    return [
        [entry["generator"], *(format_figure(entry[name]) for name in list(COLUMNS)[1:])]
        for entry in figures["medians"]
    ]


def text(figures: dict[str, Any]) -> str:
    """Return text for a terminal."""
    said = "\n".join(sentence for sentence, _ in remarks(figures))
    return f"{aligned([list(COLUMNS.values()), *rows_of(figures)])}\n\n{said}"


def remarks(figures: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """Yield remarks on the figures, each with True if it makes them worthless."""
    if not figures["complete"]:
        yield "The run was interrupted: these are partial results.", True
    if figures["pinned"]["server_core"] is None:
        yield "Server and generator shared their cores, for there are fewer than two.", True
    goal = figures["goal"]
    for entry in figures["medians"]:
        found = entry["requests_per_core_second"] or 0
        words = "reaches" if found >= goal else "misses"
        yield (
            f"{entry['generator']} {words} the goal of {goal:,} requests a second and core "
            f"({format_figure(found)}).",
            found < goal,
        )
        if entry["failures"]:
            yield f"{entry['generator']} counted {entry['failures']} failures.", True


def html(figures: dict[str, Any], machine: Mapping[str, Any]) -> str:
    """Return a page that needs no other file."""
    parts: list[Part] = [Text(sentence, bad=bad) for sentence, bad in remarks(figures)]
    scenario = figures["scenario"]
    parts.append(
        Text(
            f"Rounds: {scenario['rounds']}, of {scenario['seconds']:g} s with {scenario['users']} "
            f"users of the model {scenario['model']} who do not think, seed {scenario['seed']}, "
            "generators in turns, against a server that has every answer ready. Each ran on one "
            "core, the server on another. Requests a second and core are those for each second "
            "of CPU time of the generator; figures are medians of the rounds."
        )
    )
    parts += [Text(f"{name}: {what}.") for name, what in figures["generators"].items()]
    caption = "Requests for each second of CPU time"
    groups = {
        entry["generator"]: [entry["requests_per_core_second"]] for entry in figures["medians"]
    }
    chart = bars(caption, groups, ["median"], "/s", one_scale=True)
    parts.append(captioned_chart(caption, chart))
    parts.append(Table("Medians", list(COLUMNS.values()), rows_of(figures)))
    return html_page(TITLE, [*parts, Heading("Machine"), machine_part(machine)])


def write_csv(figures: dict[str, Any], path: Path) -> None:
    """Write a line for every round and for the medians."""
    with path.open("w", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(["round", *COLUMNS.values()])
        for row in figures["rounds"]:
            lines.writerow([row["round"], *(row[name] for name in COLUMNS)])
        for row in figures["medians"]:
            lines.writerow(["median", *(row[name] for name in COLUMNS)])
