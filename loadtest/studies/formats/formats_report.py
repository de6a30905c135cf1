"""The comparison of formats."""

from collections.abc import Sequence
from typing import Any

from loadtest.report.charts import bar_chart
from loadtest.report.document import Heading, Part, Table, Text, captioned_chart, frame_parts
from loadtest.report.format_figure import format_figure
from loadtest.report.saved_run import Report
from loadtest.studies.formats.format_figures import PERCENTS, Row
from loadtest.studies.formats.format_notes import list_remarks
from loadtest.studies.formats.format_tables import write_csv

_ENCODED = {
    "megapixels_per_cpu_second": "MP/CPU s",
    "cpu_seconds_per_100_megapixels": "CPU s/100 MP",
    "wall_seconds_per_100_megapixels": "s/100 MP",
    "bits_per_pixel": "bits/pixel",
    "psnr_db": "PSNR dB",
}
_SERVED = ["# reqs", "# fails", "wrong", "avg", "CPU ms", "decode CPU ms", "avg sz"]
_PERCENTS = [f"{percent:g}%" for percent in PERCENTS]
_QUALITIES = ("lossy", "lossless")
_WRONG = "wrong"


def report_parts(figures: dict[str, Any]) -> list[Part]:
    """Return the report: encoding, then what each server did with the files."""
    parts: list[Part] = [Text(_describe_rounds(figures))]
    if figures["encoded"]:
        parts += _encoding_parts(figures)
    for server, about in figures["servers"].items():
        parts += [Heading(f"Served by {server}"), Text(f"{server}: {about}.")]
        for figure, words in (("50", "median ms"), ("cpu", "CPU ms a request")):
            head, *rows = _side_by_side(figures, server, figure)
            parts.append(Table(f"{server}: {words}", head, rows))
        parts += _server_parts(figures, server)
    parts += _file_parts(figures)
    return frame_parts(list_remarks(figures), parts)


def _encoding_parts(figures: dict[str, Any]) -> list[Part]:
    parts: list[Part] = [Heading("Encoding")]
    rows = figures["encoded"]
    for name, unit, caption in (
        ("megapixels_per_cpu_second", "MP/s", "Megapixels encoded in a CPU second"),
        ("bits_per_pixel", "bits", "Bits for a pixel, all levels together"),
    ):
        named = {
            quality: [row[name] for row in rows if row["format"].endswith(f"-{quality}")]
            for quality in _QUALITIES
        }
        series = [format_.removesuffix("-lossy") for format_ in figures["formats"]][::2]
        parts.append(captioned_chart(caption, bar_chart(caption, named, series, unit)))
    parts.append(Table("Medians of the rounds", _encoded_header(), _encoded_rows(figures)))
    return [*parts, *(Text(f"{n}: {how}.") for n, how in figures["formats"].items())]


def _encoded_header() -> list[str]:
    return ["format", "rounds", *_ENCODED.values()]


def _encoded_rows(figures: dict[str, Any]) -> list[list[str]]:
    found = []
    for row in figures["encoded"]:
        cells = [format_figure(row[name]) for name in _ENCODED]
        if row["equal"]:
            cells[-1] = "equal"
        found.append([row["format"], str(row["rounds"]), *cells])
    return found


def _server_parts(figures: dict[str, Any], server: str) -> list[Part]:
    rows = [row for row in figures["served"] if row["server"] == server]
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    parts: list[Part] = []
    for quality in _QUALITIES:
        names = [name for name in figures["formats"] if name.endswith(f"-{quality}")]
        names = [name for name in names if any(row["format"] == name for row in rows)]
        if not names:
            continue
        groups = {
            kind: [_find_value(_find_row(rows, name, kind), "cpu") for name in names]
            for kind in kinds
        }
        caption = f"CPU milliseconds a request, {quality}"
        parts.append(captioned_chart(caption, bar_chart(caption, groups, names, "ms")))
    header = ["format", *_SERVED, *_PERCENTS]
    for kind in kinds:
        mine = [row for row in rows if row["kind"] == kind]
        cells = [_served_cells(row) for row in mine]
        bad = {
            (down, across)
            for down, row in enumerate(mine)
            for across in range(len(header))
            if row["wrong_pixels"] or row["failures"]
        }
        parts.append(Table(f"{kind}, milliseconds", header, cells, bad=frozenset(bad)))
    return parts


def _served_cells(row: Row) -> list[str]:
    return [
        row["format"],
        str(row["requests"]),
        str(row["failures"]),
        f"{row['wrong_pixels']:.0%}",
        format_figure(row["average_ms"]),
        format_figure(row["cpu_ms_per_request"]),
        format_figure(row["decode_ms"]),
        format_figure(row["average_bytes"]),
        *(format_figure(value) for value in row["percentiles_ms"].values()),
    ]


def _side_by_side(figures: dict[str, Any], server: str, figure: str) -> list[list[str]]:
    """Kinds down, formats across."""
    rows = [row for row in figures["served"] if row["server"] == server]
    names = list(dict.fromkeys(row["format"] for row in rows))
    names = [name for name in figures["formats"] if name in names]
    table = [["", *names]]
    for kind in dict.fromkeys(row["kind"] for row in rows):
        found = [_find_row(rows, name, kind) for name in names]
        table.append([kind, *(_format_cell(row, figure) for row in found)])
    return table


def _format_cell(row: Row | None, figure: str) -> str:
    wrong = row["wrong_pixels"] if row else 0.0
    if wrong == 1:
        return _WRONG
    value = format_figure(_find_value(row, figure))
    return f"{value} ({wrong:.0%} {_WRONG})" if wrong else value


def _find_row(rows: Sequence[Row], name: str, kind: str) -> Row | None:
    return next((row for row in rows if (row["format"], row["kind"]) == (name, kind)), None)


def _find_value(row: Row | None, figure: str) -> float | None:
    """Return a figure; None also if all answers are wrong, since their speed does not matter."""
    if row is None or row["wrong_pixels"] == 1:
        return None
    value: float | None = (
        row["cpu_ms_per_request"] if figure == "cpu" else row["percentiles_ms"][figure]
    )
    return value


def _describe_rounds(figures: dict[str, Any]) -> str:
    scenario = figures["scenario"]
    lists = ", ".join(scenario["url_lists"])
    requested = f"the requests of {lists}" if lists else "all kinds of requests"
    return (
        f"Rounds: {scenario['rounds']}, of {requested}, seed {scenario['seed']}; each begins with "
        "another server and format. The lossy JPEG 2000s are as coarse as gives them the error of "
        "our JPEG tiles over the whole picture. Before the rounds each different request "
        "is made once, and its pixels are compared with the picture's. Servers ran on one core, "
        "the generator on another."
    )


def _file_parts(figures: dict[str, Any]) -> list[Part]:
    names = list(figures["formats"])
    rows = [
        [
            f"{one['name']}, {one['width']} x {one['height']}",
            *(f"{figures['files'][one['name']][name]:,}" for name in names),
        ]
        for one in figures["pictures"]
    ]
    return [
        Table("Bytes of the files", ["picture", *names], rows),
        *(Text(f"{one['name']}: {one['about']}.") for one in figures["pictures"]),
    ]


REPORT = Report(
    bench="formats",
    title="Pyramidal TIFF, JPEG 2000 and HTJ2K compared as in the IIIF/htj2k test",
    parts=report_parts,
    write_tables=write_csv,
)
