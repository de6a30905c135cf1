"""Small plots of the last hour.

They show what `/metrics` counts and CloudWatch gets (docs/reference/metrics.md), by the minute.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from vitrine.cli.pages.plot import Plot, draw_plot
from vitrine.deliver.metrics.minute import SLOW_TILE_SECONDS

IN_A_MINUTE = "in a minute"
COUNTED = {
    "Answers": "Answers of the gateway",
    "ServerErrors": "Answers that are errors of ours",
    "SlowTiles": f"Tiles slower than {1000 * SLOW_TILE_SECONDS:g} ms",
    "StoreRequests": "Requests to the store",
    "StoreRetries": "Requests to the store tried again",
    "StoreFailures": "Reads given up",
    "Renders": "Renders",
    "RendersRefused": "Renders refused",
}
"""Metrics of the gateway that are drawn as they are, with their titles."""
KINDS = ("tile", "thumbnail", "render", "info")


def draw_plots(minutes: Sequence[Mapping[str, Any]]) -> list[Plot]:
    """Return the plots of the minutes, the oldest first; none before there are two."""
    if len(minutes) < 2:
        return []
    counted = {
        title: [item["metrics"].get(name, 0.0) for item in minutes]
        for name, title in COUNTED.items()
    }
    cpu = {
        f"{program}: CPU": [item["cpu_seconds"].get(program, 0.0) for item in minutes]
        for program in ("nginx", "gateway", "iipsrv")
    }
    most_cpu = max(max(values) for values in cpu.values())
    memory = [item["metrics"].get("MemoryBytes", 0.0) / 2**20 for item in minutes]
    return [
        *(draw_plot(title, values, IN_A_MINUTE) for title, values in counted.items()),
        draw_plot(
            "Reads found in the block cache", [_hit_percent(item) for item in minutes], "%", 100
        ),
        *(
            draw_plot(f"95 of 100 {kind} answers within", values, "ms")
            for kind in KINDS
            if any(values := [item["percentile_95_ms"].get(kind, 0.0) for item in minutes])
        ),
        # One scale for all programs, so that they can be compared.
        *(draw_plot(name, values, "s in a minute", most_cpu) for name, values in cpu.items()),
        draw_plot("Memory of the gateway", memory, "MiB"),
    ]


def _hit_percent(minute: Mapping[str, Any]) -> float:
    metrics: Mapping[str, float] = minute["metrics"]
    hits, misses = (metrics.get(f"BlockCache{what}", 0.0) for what in ("Hits", "Misses"))
    return 100 * hits / ((hits + misses) or 1)
