"""The result of a load test as a page."""

from collections.abc import Mapping
from typing import Any

from loadtest.fleet.load_test_table import COLUMNS, list_remarks
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

TITLE = "Load test"
_CHARTS = (
    ("requests_per_second", "/s", "Requests per second"),
    ("median_ms", "ms", "Median, milliseconds"),
    ("p95_ms", "ms", "95th percentile, milliseconds"),
)


def format_page(result: dict[str, Any], machine: Mapping[str, Any]) -> str:
    """Return a self-contained page for a browser or paper; `machine` is the generator's."""
    parts: list[Part] = [Text(sentence, bad=bad) for sentence, bad in list_remarks(result)]
    parts.append(Text(f"{result['scenario']} against {result['host']}."))
    stages = list(dict.fromkeys(row["stage"] for row in result["rows"]))
    kinds = list(dict.fromkeys(row["kind"] for row in result["rows"]))
    found = {(row["stage"], row["kind"]): row for row in result["rows"]}
    for key, unit, caption in _CHARTS if stages else ():
        groups = {
            kind: [found.get((stage, kind), {}).get(key) for stage in stages] for kind in kinds
        }
        parts.append(captioned_chart(caption, bar_chart(caption, groups, stages, unit)))
    header = list(COLUMNS.values())
    rows = [[_format_cell(row[name]) for name in COLUMNS] for row in result["rows"]]
    bad = {
        (down, across)
        for down, row in enumerate(result["rows"])
        for across, name in enumerate(COLUMNS)
        if result["generator_saturated"] or (name == "failures" and row[name])
    }
    parts.append(Table("Times in milliseconds, sizes in bytes", header, rows, bad=frozenset(bad)))
    environment = {**machine, **result.get("versions", {})}
    return html_page(TITLE, [*parts, Heading("Generator"), machine_part(environment)])


def _format_cell(value: Any) -> str:
    return value if isinstance(value, str) else format_figure(value)
