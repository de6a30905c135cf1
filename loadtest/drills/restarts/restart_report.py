"""What became of requests while tasks restarted, and what the task that stays held."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from loadtest.report.charts import Series, line_chart
from loadtest.report.document import Chart, Part, Table, captioned_chart
from loadtest.report.saved_run import Report
from rigs.rig import IMAGE_TASK


def report_parts(figures: Mapping[str, Any]) -> list[Part]:
    """Return the report."""
    done = Counter(event["what"] for event in figures["events"])
    rows = [
        ("requests", f"{figures['requests']:,}"),
        ("failed", f"{figures['failed']:,}"),
        ("wrong bytes", f"{figures['wrong_bytes']:,}"),
        *((f"times: {what}", str(count)) for what, count in done.items()),
        ("requests a second", f"{figures['requests_per_second']:g}"),
        ("cores of the tasks", f"{figures['server_cores']:g}"),
        ("median, 99th percentile", f"{figures['p50_ms']:g} ms, {figures['p99_ms']:g} ms"),
        *((f"growth of {name}", f"{ratio:g}") for name, ratio in figures["growth"].items()),
    ]
    return [
        Table("Requests during restarts", ("", ""), rows),
        _draw_held(figures, "Memory of the task that stays", "bytes", "MiB", 1 << 20),
        _draw_held(figures, "Its descriptors", "descriptors", "descriptors", 1),
    ]


def _draw_held(
    figures: Mapping[str, Any], caption: str, key: str, unit: str, divisor: int
) -> Chart:
    series = [
        Series(
            name,
            number,
            [row["at"] for row in figures["held"] if f"{name}_{key}" in row],
            [row[f"{name}_{key}"] / divisor for row in figures["held"] if f"{name}_{key}" in row],
        )
        for number, name in enumerate(IMAGE_TASK)
    ]
    return captioned_chart(caption, line_chart(f"restarts-{key}", series, "seconds", unit))


REPORT = Report(bench="restarts", title="Restarts under load", parts=report_parts)
