"""The museum's tables, predicted and measured, in words, a table and a chart."""

from collections.abc import Mapping, Sequence
from math import nan
from typing import Any

from capacity.validation.museum.modelled_rigs import LINK, MODEL, SIX_FREE
from capacity.validation.museum.museum_tables import DERIVATIVES, MASTERS, table
from loadtest.report import charts
from loadtest.report.document import Chart, Part, Table, Text

_SHORT = {"iipsrv-ptiff": "PTIFF", "iipsrv-jp2": "JP2", "cantaloupe-jp2": "Cantaloupe"}
_ABOUT = (
    "Calibrated on the 10-connection columns alone: think time by Little's law, and for each of 12 "
    "kinds of request the demand that gives its published response time (the median where requests "
    "queue for six single processes, the average where one Java process shares the cores). "
    "Nothing is fitted to the other columns, but see ADR 0013 for two things that they "
    "suggested. The rig: six queues that nginx fills in turns, or 200 threads; four cores with two "
    "hardware threads each; 2 ms of nginx and kernel per request. Which list of masters a user "
    "keeps to is drawn once per user; at 10 connections the tables give it away, above a third "
    "each is assumed."
)


def museum_parts(run: Mapping[str, Any]) -> Sequence[Part]:
    """Return the report of a run of `predict`."""
    hundred, thousand = (table("iipsrv-ptiff", n).bytes_per_second / 1e6 for n in (100, 1000))
    return (
        Text(_ABOUT),
        Text(
            f"One thing the 10-connection columns cannot tell: with pyramidal TIFFs both other "
            f"tests moved the same {hundred:.2f} and {thousand:.2f} MB/s of images, at 97 and 103 "
            f"requests/s. A link was the limit, not the server. We take its nominal speed, 100 "
            f"Mbit/s less packet headers ({LINK / 1e6:.2f} MB/s), not the figure to be predicted; "
            f"it lets bursts pass, since at 10 connections nothing waited for it."
        ),
        _comparison_table(run),
        _metric_chart("museum-throughput", "requests_per_second", 1, "requests/s", run),
        _metric_chart("museum-response", "response_ms", 1000, "mean response time, s", run),
        _demands_table(run),
        Text(
            "Successes and failures count as throughput. Not predicted: how many of Cantaloupe's "
            "requests fail at 1,000 connections (1,900 of 15,456: more than time out after 60 s), "
            f"and the maxima. {run['speed']['requests_per_cpu_second']:,} requests simulated per "
            "second and core."
        ),
    )


def broken(run: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each promise that was not kept."""
    return [
        f"{row['server']}, {row['connections']} connections: {metric.replace('_', ' ')} is "
        f"{row[metric]['error_percent']:+.1f} % off, more than {row[metric]['bound_percent']} %"
        for row in run["rows"]
        for metric in ("requests_per_second", "response_ms")
        if row[metric]["kept"] is False
    ]


def _comparison_table(run: Mapping[str, Any]) -> Table:
    return Table(
        f"Predicted and measured ({run['replications']} replications, intervals of "
        f"{100 * run['confidence']:.0f} %)",
        (
            "server",
            "model",
            "connections",
            "requests/s predicted",
            "measured",
            "error",
            "response, ms, predicted",
            "measured",
            "error",
            "promised within",
        ),
        [
            (
                row["server"],
                row["variant"],
                f"{row['connections']:,}",
                *_format_cells(row["requests_per_second"], 1),
                *_format_cells(row["response_ms"], 0),
                _describe_promise(row),
            )
            for row in run["rows"]
        ],
        words=2,
    )


def _format_cells(compared: Mapping[str, Any], digits: int) -> tuple[str, str, str]:
    return (
        f"{compared['predicted']:,.{digits}f} ± {compared['half_width']:,.{digits}f}",
        f"{compared['measured']:,.{digits}f}",
        f"{compared['error_percent']:+.1f} %",
    )


def _describe_promise(row: Mapping[str, Any]) -> str:
    if row["variant"] != MODEL:
        return ""
    bounds = [row[metric]["bound_percent"] for metric in ("requests_per_second", "response_ms")]
    if None in bounds:
        return "calibrated here"
    kept = all(row[metric]["kept"] for metric in ("requests_per_second", "response_ms"))
    return f"{bounds[0]:g} %, {bounds[1]:g} %: {'kept' if kept else 'BROKEN'}"


def _metric_chart(name: str, metric: str, unit: float, label: str, run: Mapping[str, Any]) -> Chart:
    """Measured, predicted and naive, in units of `unit`; times over three powers of ten."""
    predicted = {
        (row["server"], row["connections"], row["variant"]): row[metric]["predicted"] / unit
        for row in run["rows"]
    }
    rows = [row for row in run["rows"] if row["variant"] == MODEL]
    bars = [("measured", [row[metric]["measured"] / unit for row in rows])]
    bars += [
        (
            variant,
            [predicted.get((row["server"], row["connections"], variant), nan) for row in rows],
        )
        for variant in (MODEL, SIX_FREE)
    ]
    groups = [f"{_SHORT[row['server']]}\n{row['connections']:,}" for row in rows]
    svg = charts.grouped_bars(name, groups, bars, label, logarithmic=metric == "response_ms")
    return Chart(name, f"Museum's load tests at 10, 100 and 1,000 connections: {label}", svg)


def _demands_table(run: Mapping[str, Any]) -> Table:
    return Table(
        "Calibrated demands, ms of one core",
        ("server", "masters", *DERIVATIVES, "users of 10", "think time, ms"),
        [
            (
                calibration["server"],
                masters,
                *(f"{calibration['demand_ms'][masters][kind]:.0f}" for kind in DERIVATIVES),
                str(calibration["users"][masters]),
                f"{calibration['think_ms']:.1f}",
            )
            for calibration in run["calibrations"]
            if calibration["variant"] == MODEL
            for masters in MASTERS
        ],
        words=2,
    )
