"""The result of a load test, with the columns of the report's appendix 2."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from loadtest.figures.request_figures import COLUMNS as ROW_COLUMNS
from loadtest.report.charts import bar_chart
from loadtest.report.document import Part, Table, Text, captioned_chart, frame_parts
from loadtest.report.format_figure import format_figure
from loadtest.report.saved_run import Report

COLUMNS = {"stage": "stage", "kind": "kind", **ROW_COLUMNS}
_SHOWN = 10
_CHARTS = (
    ("requests_per_second", "/s", "Requests per second"),
    ("median_ms", "ms", "Median, milliseconds"),
    ("p95_ms", "ms", "95th percentile, milliseconds"),
)


def write_csv(result: dict[str, Any], path: Path) -> None:
    """Write a line per stage and kind; times in milliseconds, sizes in bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        table.writerows([row[name] for name in COLUMNS] for row in result["rows"])


def report_parts(result: dict[str, Any]) -> list[Part]:
    """Return the report of a result: the rows, and remarks with failures."""
    parts: list[Part] = [Text(f"{result['scenario']} against {result['host']}.")]
    stages = list(dict.fromkeys(row["stage"] for row in result["rows"]))
    kinds = list(dict.fromkeys(row["kind"] for row in result["rows"]))
    found = {(row["stage"], row["kind"]): row for row in result["rows"]}
    for key, unit, caption in _CHARTS if stages else ():
        groups = {
            kind: [found.get((stage, kind), {}).get(key) for stage in stages] for kind in kinds
        }
        parts.append(captioned_chart(caption, bar_chart(caption, groups, stages, unit)))
    rows = [[_format_cell(row[name]) for name in COLUMNS] for row in result["rows"]]
    bad = frozenset(
        (down, across)
        for down, row in enumerate(result["rows"])
        for across, name in enumerate(COLUMNS)
        if result["generator_saturated"] or (name == "failures" and row[name])
    )
    caption = "Times in milliseconds, sizes in bytes"
    parts.append(Table(caption, list(COLUMNS.values()), rows, words=2, bad=bad))
    return frame_parts(list_remarks(result), parts)


def _format_cell(value: Any) -> str:
    return value if isinstance(value, str) else format_figure(value)


def list_remarks(result: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """Yield remarks about the figures, each with True if it makes them worthless."""
    yield (
        f"{result['requests']:,} requests, {result['failures']:,} failures, "
        f"{result.get('decoded', 0):,} answers decoded; seed {result['seed']}; "
        f"generator at {result['generator_cpu_percent']:.0f} % of a core",
        False,
    )
    if result["generator_saturated"]:
        yield (
            "The generator was saturated, so that it measured itself: use more --processes, "
            "or another machine.",
            True,
        )
    for stage in result.get("stages", ()):
        if not any(row["stage"] == stage for row in result["rows"]):
            yield f"{stage}: no request was sent in this stage; use more --seconds.", True
    if not result["complete"]:
        yield "The run was interrupted, or a generator was lost: these are partial results.", True
    failed = sorted(result["failed"], key=lambda failure: -failure["times"])
    for entry in failed[:_SHOWN]:
        yield f"failed {entry['times']} x  {entry['error']}", False
    if len(failed) > _SHOWN:
        yield f"… and {len(failed) - _SHOWN} other failures (all with --json)", False


REPORT = Report(
    bench="loadtest",
    title="Load test",
    parts=report_parts,
    write_tables=lambda result, folder: write_csv(result, folder / "rows.csv"),
)
