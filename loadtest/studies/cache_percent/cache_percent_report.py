"""What bench.py prints, percentiles and bytes."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from loadtest.report.charts import bar_chart
from loadtest.report.document import (
    Part,
    Preformatted,
    Table,
    Text,
    captioned_chart,
    frame_parts,
)
from loadtest.report.saved_run import Report
from loadtest.studies.cache_percent.cache_percent_study import PERCENTILES

_PARTS = {"non_cached": "non-cached", "cached": "cached", "all": "all"}
_LEEWAY_PERCENT = 1
_ROWS = {
    "requests": "responses",
    "bytes": "bytes",
    "average_app_seconds": "average app time, s",
    "average_seconds": "average response, s",
    **{f"p{percent}_seconds": f"p{percent}, s" for percent in PERCENTILES},
    "worst_seconds": "worst response, s",
}


def _describe_warming(figures: dict[str, Any]) -> str:
    warming = figures["warming"]
    if not warming["requests"]:
        return "The cache was not warmed."
    return (
        f"Warmed the cache with {warming['requests']} requests in {warming['seconds']:.3f} "
        f"seconds, {warming['errors']} errors."
    )


def _result_lines(figures: dict[str, Any]) -> list[str]:
    whole = figures["all"]
    lines = [
        f"{figures['requests']} successful requests, {figures['errors']} errors.",
        f"Run time {figures['run_seconds']:.6f} seconds = "
        f"{figures['requests_per_second']:.3f} requests/sec.",
        f"Average response {_format_seconds(whole['average_seconds'])}, "
        f"{_format_percentiles(whole)}, {whole['bytes']:,} bytes",
    ]
    for name, title in list(_PARTS.items())[:2]:
        values = figures[name]
        lines += [
            f"* {values['requests']} {title} responses, {values['bytes']:,} bytes",
            f"  * Average app time {_format_seconds(values['average_app_seconds'])}",
            f"  * Average response {_format_seconds(values['average_seconds'])}, "
            f"{_format_percentiles(values)}",
            f"  * Worst response {_format_seconds(values['worst_seconds'])}",
        ]
    return lines


def _format_seconds(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.6f} seconds"


def _format_percentiles(values: dict[str, Any]) -> str:
    found = (values[f"p{percent}_seconds"] for percent in PERCENTILES)
    pairs = zip(PERCENTILES, found, strict=True)
    return ", ".join(f"p{percent} {'-' if v is None else f'{v:.6f}'}" for percent, v in pairs)


def list_remarks(figures: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """Yield remarks on the figures, each with True if it makes them worthless."""
    if not figures["complete"]:
        yield "The run was interrupted: these are partial results.", True
    if figures["client_bound"]:
        yield "The generator took over 80 % of a core: client-bound, it measured itself.", True
    if figures["cache_told_by_server"] < figures["requests"]:
        silent = figures["requests"] - figures["cache_told_by_server"]
        yield (
            f"{silent} answers do not tell whether they came from a cache: counted as cached if "
            "they had been asked for before.",
            False,
        )
    goal, cached = figures["parameters"]["cache_percent"], figures["cached"]["requests"]
    share = 100 * cached / figures["requests"] if figures["requests"] else goal
    if figures["complete"] and abs(share - goal) > _LEEWAY_PERCENT:
        yield (
            f"{goal} % were to come from a cache, {share:.0f} % did: clear the caches before a "
            "run (ours: `vitrine-loadtest clear-caches`), or they are too small, or answers are "
            "not kept.",
            True,
        )
    for entry in (*figures["warming"]["failed"], *figures["failed"]):
        yield f"failed {entry['times']} x  {entry['fault']} · {entry['path']}", False


def report_parts(figures: dict[str, Any]) -> list[Part]:
    """Return the report, with the lines that bench.py prints."""
    conditions = figures["parameters"] | {
        "server": figures["url"],
        "images": len(figures["images"]),
    }
    lines = [_describe_warming(figures)]
    parts: list[Part] = [Text(", ".join(f"{name} {value}" for name, value in conditions.items()))]
    if not figures["parameters"]["only_warm"]:
        lines += _result_lines(figures)
        names = [f"p{percent}" for percent in PERCENTILES]
        groups = {
            title: [_to_milliseconds(figures[name][f"{p}_seconds"]) for p in names]
            for name, title in _PARTS.items()
        }
        caption = "Response times, milliseconds"
        rows = [
            [title, *(_format_cell(figures[name][key]) for name in _PARTS)]
            for key, title in _ROWS.items()
        ]
        parts += [
            captioned_chart(caption, bar_chart(caption, groups, names, "ms", one_scale=True)),
            Table("Responses", ["", *_PARTS.values()], rows),
        ]
    return frame_parts(list_remarks(figures), [*parts, Preformatted("\n".join(lines))])


def _to_milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else 1_000 * seconds


def _format_cell(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:.6f}"


def write_csv(figures: dict[str, Any], folder: Path) -> None:
    """Write `rows.csv`, a line each for cached answers, the others, and all."""
    with (folder / "rows.csv").open("w", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(["part", *figures["all"], "complete"])
        for name in _PARTS:
            lines.writerow([name, *figures[name].values(), figures["complete"]])


REPORT = Report(
    bench="cache",
    title="A share of answers from a cache",
    parts=report_parts,
    write_tables=write_csv,
)
