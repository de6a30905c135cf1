"""The doors next to each other, and ours next to the original."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from loadtest.report.charts import draw_sparkline
from loadtest.report.document import Heading, Part, Table, captioned_chart, frame_parts
from loadtest.report.saved_run import Report
from loadtest.studies.photo_door.photo_door_study import OURS

CAPTIONS = {
    "request_rate": "photographs begun, a second",
    "megabytes": "megabytes of photographs answered, a second",
    "round_trip_seconds": "seconds from the first byte sent to the answer, by its begin",
    "client_cpu": "cores used by the agents",
    "agents": "agents at work",
}
BARESOIL = {
    "requests made": "15,426",
    "successes": "14,019",
    "errors": "806 (5.2 %)",
    "seconds": "419",
    "bytes in": "63,408,498,114",
    "bytes out": "1,331,274,987",
    "CPU seconds": "19,002.7",
    "CPU seconds a photograph": "1.355",
    "images an hour": "120,449",
    "images a dollar, on demand": "14,071",
    "images a dollar, Spot": "49,979",
}
"""Its published figures of 2017, on 160 virtual CPUs; a dollar is its machines' and balancer's."""


def report_parts(figures: dict[str, Any]) -> list[Part]:
    """Return the report: all doors, ours next to Baresoil's and its prices, and charts of each."""
    parts = _door_tables(figures)
    for name, courses in figures["courses"].items():
        if not courses or not courses[-1]["series"]:
            continue
        parts.append(Heading(f"Over time: {name}, the last round"))
        columns = courses[-1]["series"]
        for key, words in CAPTIONS.items():
            caption = f"{name}: {words}"
            chart = draw_sparkline(caption, columns["second"], columns[key])
            parts.append(captioned_chart(caption, chart))
    return frame_parts(_list_remarks(figures), parts)


def write_csv(figures: dict[str, Any], folder: Path) -> None:
    """Write `series.csv`, a line for each window of each course."""
    rows = [
        {"door": name, "round": number, **dict(zip(course["series"], values, strict=True))}
        for name, courses in figures["courses"].items()
        for number, course in enumerate(courses, start=1)
        for values in zip(*course["series"].values(), strict=True)
    ]
    with (folder / "series.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]) if rows else [], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _door_tables(figures: dict[str, Any]) -> list[Part]:
    doors = [door for door in figures["doors"] if "round_trip" in door]
    header = [
        *("door", "CPU ms", "most", "images an hour and core", "images an hour here"),
        *("p50, s", "p99, s", "errors", "peak MiB", "bytes out"),
    ]
    parts: list[Part] = [Table("Doors", header, [_door_row(door) for door in doors])]
    mine = next((door for door in doors if door["name"] == OURS), None)
    if mine:
        rows = list(_next_to_baresoil(mine))
        parts.append(Table("Ours next to the original", ["", "ours", "Baresoil, 2017"], rows))
        header = ["decoding", "way in", "USD a million", "images a dollar"]
        parts.append(
            Table("Prices of today, us-east-1, without tax", header, _price_rows(mine), words=2)
        )
    return parts


def _door_row(door: dict[str, Any]) -> list[str]:
    return [
        door["name"],
        f"{door['cpu_milliseconds']['median']:,}",
        f"{door['cpu_milliseconds']['most']:,}",
        f"{door['images_per_hour_and_core']:,}",
        f"{door['images_per_hour']:,}",
        f"{door['round_trip']['median']:.3f}",
        f"{door['round_trip']['p99']:.3f}",
        f"{door['errors']:,} of {door['requests']:,}",
        f"{door['peak_mebibytes']:,}",
        f"{door['bytes_out'] // door['successes']:,}",
    ]


def _next_to_baresoil(door: dict[str, Any]) -> list[list[str]]:
    share = 100 * door["errors"] / door["requests"]
    decoding = door["usd_per_million"]["decoding"]
    values = {
        "requests made": f"{door['requests']:,}",
        "successes": f"{door['successes']:,}",
        "errors": f"{door['errors']:,} ({share:.1f} %)",
        "seconds": f"{door['seconds']:,.0f}",
        "bytes in": f"{door['bytes_in']:,}",
        "bytes out": f"{door['bytes_out']:,}",
        "CPU seconds": f"{door['cpu_seconds']['door']:,}",
        "CPU seconds a photograph": f"{door['cpu_milliseconds']['median'] / 1_000:.3f}",
        "images an hour": f"{door['images_per_hour']:,}",
        "images a dollar, on demand": _images_a_dollar(decoding["Fargate, on demand"]),
        "images a dollar, Spot": _images_a_dollar(decoding["Fargate Spot"]),
    }
    return [[name, values[name], theirs] for name, theirs in BARESOIL.items()]


def _price_rows(door: dict[str, Any]) -> Sequence[Sequence[str]]:
    prices = door["usd_per_million"]
    ways = {"(none)": 0.0, **prices["way"]}
    return [
        [decoding, way, f"{usd + more:,.2f}", _images_a_dollar(usd + more)]
        for decoding, usd in prices["decoding"].items()
        for way, more in ways.items()
    ]


def _images_a_dollar(usd_per_million: float) -> str:
    return f"{1e6 / usd_per_million:,.0f}"


def _list_remarks(figures: dict[str, Any]) -> list[tuple[str, bool]]:
    """Return sentences, and whether they are in red."""
    found = []
    if not figures["complete"]:
        found.append(("Interrupted: not every door had all its rounds.", True))
    for door in figures["doors"]:
        if door["errors"]:
            faults = [course["faults"] for course in figures["courses"][door["name"]]]
            found.append((f"{door['name']} had errors: {faults}.", door["name"] == OURS))
    found.append(
        (
            "Agents, nginx with TLS and the door share this machine, so that images an hour here "
            "are fewer than a machine of the door's own would answer. CPU is the door's alone; "
            "ours includes its nginx. Ours verifies the form, reads EXIF, XMP and IPTC and "
            "computes the checksum; the others only make the thumbnail (Pillow reads EXIF as well; "
            "iiif-processor and ipx do not stretch levels).",
            False,
        )
    )
    return found


REPORT = Report(
    bench="photo-door",
    title="A photograph in, a thumbnail out: Baresoil's benchmark on our photo door and others",
    parts=report_parts,
    write_tables=write_csv,
)
