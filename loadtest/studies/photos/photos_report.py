"""The run as text for a terminal, as a page, and as tables for other programs."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from loadtest.report.charts import line
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
from loadtest.studies.photos.photo_prices import LAMBDA_SOURCE, MACHINES
from loadtest.studies.photos.photo_series import CAPTIONS

TITLE = "Photographs an hour, and what they cost: Baresoil's benchmark on our ingest"
_COST_HEADER = ["machine", "prices of", "plan", "USD an hour", "USD a million images"]


def text(figures: dict[str, Any]) -> str:
    """Return text for a terminal."""
    rows = [*_summary(figures), *_raw(figures)]
    lines = [f"{name:44} {value}" for name, value in rows]
    costs = [_COST_HEADER, *_costs(figures)]
    widths = [max(len(row[place]) for row in costs) for place in range(len(_COST_HEADER))]
    lines += ["", *("  ".join(map(str.ljust, row, widths)).rstrip() for row in costs)]
    return "\n".join([*lines, "", *(sentence for sentence, _ in _remarks(figures))])


def html(figures: dict[str, Any], machine: Mapping[str, Any]) -> str:
    """Return a page that needs no other file."""
    parts: list[Part] = [Text(sentence, bad=bad) for sentence, bad in _remarks(figures)]
    parts.append(Table("Summary", ["", ""], _summary(figures)))
    parts.append(Table("Raw statistics", ["", ""], _raw(figures)))
    parts.append(Heading("Cost at this rate"))
    parts.append(Table("List prices, without tax and free tiers", _COST_HEADER, _costs(figures)))
    parts += [Text(f"{one.name}: {one.source}.") for one in MACHINES]
    parts.append(Text(f"Lambda and Step Functions: {LAMBDA_SOURCE}."))
    parts.append(Heading("Over time"))
    rows = figures["series"]
    times = [row["second"] for row in rows]
    for name, caption in CAPTIONS.items():
        parts.append(captioned_chart(caption, line(caption, times, [row[name] for row in rows])))
    parts += [Heading("Photographs"), _samples(figures)]
    return html_page(TITLE, [*parts, Heading("Machine"), machine_part(machine)])


def write_csv(figures: dict[str, Any], folder: Path) -> None:
    """`photos.csv`, a line for each one sent, and `series.csv`, a line for each window."""
    for name in ("photos", "series"):
        rows = figures[name]
        with (folder / f"{name}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]) if rows else [], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


def _summary(figures: dict[str, Any]) -> list[list[str]]:
    return [
        ["images per hour", f"{figures['images_per_hour']:,}"],
        ["image data per hour", f"{figures['gigabytes_per_hour']:,} GB"],
        ["CPU seconds of the service per image", _known(figures["cpu_seconds_per_image"])],
        ["agents", str(figures["scenario"]["agents"])],
    ]


def _raw(figures: dict[str, Any]) -> list[list[str]]:
    cpu = figures["cpu_seconds"]
    return [
        ["seconds", f"{figures['seconds']:,}"],
        ["requests made", f"{figures['requests']:,}"],
        ["published", f"{figures['successes']:,}"],
        ["errors", f"{figures['errors']:,}"],
        ["image bytes in (published)", f"{figures['bytes_in']:,}"],
        ["bytes out (access masters)", f"{figures['bytes_out']:,}"],
        ["round trip, seconds: median, 95 %, most", _three(figures["round_trip_seconds"])],
        ["server time, seconds: median, 95 %, most", _three(figures["server_seconds"])],
        ["CPU seconds, Lambdas", f"{cpu['lambdas']:,}"],
        ["CPU seconds, emulator of AWS", f"{cpu['emulator']:,}"],
        ["CPU seconds, image task", f"{cpu['image_task']:,}"],
        ["CPU seconds, client", f"{cpu['uploader']:,}"],
    ]


def _costs(figures: dict[str, Any]) -> list[list[str]]:
    return [
        [
            row["machine"],
            row["as_of"],
            row["plan"],
            _dollars(row["hour"], 4),
            _dollars(row["million"], 2),
        ]
        for row in figures["costs"]
    ]


def _remarks(figures: dict[str, Any]) -> list[tuple[str, bool]]:
    """Sentences, and whether they are in red."""
    found = []
    if not figures["complete"]:
        left = figures["scenario"]["photos"] - figures["successes"] - figures["errors"]
        found.append(
            (f"Interrupted: {left} photographs were not sent, or left on their way.", True)
        )
    found += [(f"{row['times']} x {row['fault']}", True) for row in figures["failed"]]
    if figures["client_bound"]:
        cores = format_figure(figures["client_cores"])
        found.append((f"Client-bound: the agents used {cores} cores; this proves nothing.", True))
    found.append(
        (
            "Client, service and the emulator of AWS share this machine. A photograph is done when "
            "its outcome is published: its access master is written and verified, and it has an "
            "address. Baresoil's was done when a thumbnail came back. Agents are threads of one "
            "process.",
            False,
        )
    )
    return found


def _samples(figures: dict[str, Any]) -> Table:
    header = ["name", "bytes", "pixels", "JPEG quality", "enlarged", "SHA-256", "made from"]
    rows: list[Sequence[str]] = [
        [
            row["name"],
            f"{row['bytes']:,}",
            f"{row['width']} x {row['height']}",
            str(row["quality"]),
            f"{row['enlargement']:g} x",
            row["sha256"][:16],
            row["photograph"].partition(", SHA")[0],
        ]
        for row in figures["samples"]
    ]
    return Table("What was sent, at random", header, rows)


def _dollars(value: float | None, places: int) -> str:
    return "not on offer" if value is None else f"{value:,.{places}f}"


def _three(spread: Mapping[str, float] | None) -> str:
    return " · ".join(f"{value:.2f}" for value in spread.values()) if spread else "-"


def _known(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"
