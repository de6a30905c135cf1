"""The table and the charts of a drill."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from loadtest.report.aligned_text import align_rows
from loadtest.report.charts import Series, line_chart, standalone_svg
from loadtest.rigs.rig import IMAGE_TASK


def format_table(figures: Mapping[str, Any]) -> str:
    """Return the figures for people."""
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
    return align_rows(rows)


def draw_charts(figures: Mapping[str, Any]) -> dict[str, str]:
    """Return SVGs by name: what the task that stays holds, over time."""
    found = {}
    for what, unit, part in (("memory", "MiB", 1 << 20), ("descriptors", "descriptors", 1)):
        key = "bytes" if what == "memory" else what
        series = [
            Series(
                name,
                number,
                [row["at"] for row in figures["held"] if f"{name}_{key}" in row],
                [row[f"{name}_{key}"] / part for row in figures["held"] if f"{name}_{key}" in row],
            )
            for number, name in enumerate(IMAGE_TASK)
        ]
        found[what] = standalone_svg(line_chart(f"restarts-{what}", series, "seconds", unit))
    return found
