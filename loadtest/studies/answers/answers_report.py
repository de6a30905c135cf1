"""The comparison of answers as text, CSV and a page."""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from loadtest.figures.request_figures import describe_interruption
from loadtest.report.charts import bar_chart
from loadtest.report.document import Heading, Part, Table, Text, captioned_chart, frame_parts
from loadtest.report.format_figure import format_figure
from loadtest.report.saved_run import Report
from loadtest.studies.answers.answer_medians import unpack_rows
from loadtest.studies.answers.answering_servers import AGAIN, OURS, STATIC

FIGURES = {
    "cpu_ms": ("CPU, milliseconds a request, all processes of the server", "ms"),
    "psnr_db": ("PSNR against a Lanczos reduction of the master, dB", "dB"),
    "p50_ms": ("Median time of a request alone, milliseconds", "ms"),
    "bytes": ("Bytes of an answer", "B"),
}
"""Figures of a median, their captions and units."""
_RAW = ("photograph", "request", "server", "round", "requests", "failures", "p50_ms")
_OF_NOTE = 0.95
"""Ratios above it are noise of the machine."""
_SAME_DECIBELS = 0.3
Figures = Mapping[str, Any]


_RATIOS = "Our CPU as a multiple of that of others; `again` of those that keep answers"
_SHARES = "CPU of our processes apart, milliseconds a request"


def report_parts(figures: Figures) -> list[Part]:
    """Return the report: a table of each figure, our processes apart, and remarks."""
    parts: list[Part] = [Text(_describe_rounds(figures))]
    parts += [Text(f"{name}: {about}.") for name, about in figures["servers"].items()]
    parts += [Text(f"{name}: {words}.") for name, words in figures["photographs"].items()]
    for key, (caption, unit) in FIGURES.items():
        head, *rows = _figure_table(figures, key)
        values = {
            request: [_find_value(figures, request, server, key) for server in head[1:]]
            for request in _measured_requests(figures)
        }
        chart = bar_chart(caption, values, head[1:], unit, one_scale=key == "psnr_db")
        parts += [Heading(caption), captioned_chart(caption, chart), Table(caption, head, rows)]
    for caption, lines in ((_RATIOS, _ratio_rows(figures)), (_SHARES, _share_rows(figures))):
        head, *rows = lines
        parts.append(Table(caption, head, rows))
    return frame_parts(list_remarks(figures), parts)


def list_remarks(figures: Figures) -> Iterator[tuple[str, bool]]:
    """Yield remarks on the figures, each with True if it makes them worthless."""
    if not figures["complete"]:
        yield describe_interruption(figures), True
    if figures["pinned"]["server_core"] is None:
        yield "Servers and generator shared their cores, for there are fewer than two.", True
    for row in unpack_rows(figures["checks"]):
        if row["failures"]:
            yield (
                f"{row['server']} is left out of {row['request']} of {row['photograph']}: "
                f"{row['fault']}",
                row["server"] == OURS,
            )
    for row in figures["medians"]:
        if row["failures"]:
            yield f"{row['server']}, {row['request']}: {row['failures']} wrong answers.", True
    yield from ((sentence, False) for sentence in _list_behind(figures))


def wrong_answers(figures: Figures) -> int:
    """Return the wrong answers of the rounds, and of our own server in the check before them."""
    ours = sum(row["failures"] for row in unpack_rows(figures["checks"]) if row["server"] == OURS)
    return int(ours + sum(row["failures"] for row in figures["medians"]))


def _list_behind(figures: Figures) -> Iterator[str]:
    """Yield the requests for which a server needs less CPU than ours the first time.

    A server that is clearly less faithful is said to be so.
    """
    for request in _measured_requests(figures):
        ours = _find_row(figures, request, OURS)
        for row in figures["medians"]:
            again = row["server"].endswith(AGAIN) or row["server"] in (OURS, STATIC)
            if row["request"] != request or again or not ours:
                continue
            ratio = row["cpu_ms"] / ours["cpu_ms"] if ours["cpu_ms"] else 1.0
            if ratio >= _OF_NOTE:
                continue
            loss = (ours["psnr_db"] or 0.0) - (row["psnr_db"] or 0.0)
            less = f", at {loss:.1f} dB less" if loss > _SAME_DECIBELS else ""
            yield f"{row['server']} needs {ratio:.2f} of our CPU for {request}{less}."


def _describe_rounds(figures: Figures) -> str:
    rounds = figures["rounds_of"]
    return (
        f"Rounds: {rounds['rounds']}; in each, every server is sent every kind of request for "
        f"every photograph, one request after the other for {rounds['seconds']:g} s, servers in "
        "turns. A figure is the median of the rounds, and the mean of the photographs that all "
        "servers answered. CPU is user and system time of all processes of the server. The master "
        "lies on the local disk and in its cache. Every answer was decoded once before the rounds. "
        f"PSNR is against: {figures['psnr_reference']}."
    )


def _measured_servers(figures: Figures) -> list[str]:
    measured = {row["server"] for row in figures["medians"]}
    return [name for name in figures["servers"] if name in measured]


def _measured_requests(figures: Figures) -> list[str]:
    measured = {row["request"] for row in figures["medians"]}
    return [name for name in figures["requests"] if name in measured]


def _find_row(figures: Figures, request: str, server: str) -> dict[str, Any]:
    found = (
        row for row in figures["medians"] if (row["request"], row["server"]) == (request, server)
    )
    return next(found, {})


def _find_value(figures: Figures, request: str, server: str, key: str) -> float | None:
    return _find_row(figures, request, server).get(key)


def _figure_table(figures: Figures, key: str) -> list[list[str]]:
    servers, write = _measured_servers(figures), _WRITE.get(key, format_figure)
    rows = [["request", *servers]]
    for request in _measured_requests(figures):
        cells = [write(_find_value(figures, request, server, key)) for server in servers]
        rows.append([request, *cells])
    return rows


def _format_decibels(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


_WRITE: Mapping[str, Callable[[float | None], str]] = {"psnr_db": _format_decibels}


def _ratio_rows(figures: Figures) -> list[list[str]]:
    """Return a line for each request, first and again; a server that keeps nothing has one row."""
    servers = _measured_servers(figures)
    others = [name for name in servers if not name.endswith(AGAIN) and name != OURS]
    rows = [["request", *others]]
    for request in _measured_requests(figures):
        for end in ("", AGAIN):
            ours = _find_value(figures, request, OURS + end, "cpu_ms")
            cells = []
            for name in others:
                other = name + end if name + end in servers else name
                value = (
                    _find_value(figures, request, other, "cpu_ms")
                    if end or name != STATIC
                    else None
                )
                cells.append(format_figure(ours / value if ours and value else None))
            rows.append([request + end, *cells])
    return rows


def _share_rows(figures: Figures) -> list[list[str]]:
    names: Sequence[str] = next(
        (list(row["cpu_ms_by_process"]) for row in figures["medians"] if row["server"] == OURS), ()
    )
    rows = [["request", *names]]
    for request in _measured_requests(figures):
        shares = _find_row(figures, request, OURS).get("cpu_ms_by_process", {})
        rows.append([request, *(format_figure(shares.get(name)) for name in names)])
    return rows


def write_csv(figures: Figures, folder: Path) -> None:
    """Write `rounds.csv`, a line for each photograph, request and server of every round."""
    with (folder / "rounds.csv").open("w", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow([*_RAW, "cpu_ms", "cpu_ms of each"])
        for row in unpack_rows(figures["rounds"]):
            parts = " ".join(f"{name}={cpu}" for name, cpu in row["cpu_ms"].items())
            total = round(sum(row["cpu_ms"].values()), 3)
            lines.writerow([*(row[key] for key in _RAW), total, parts])


REPORT = Report(
    bench="answers",
    title="What an answer takes, the first time and again, and how faithful it is",
    parts=report_parts,
    write_tables=write_csv,
)
