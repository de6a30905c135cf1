"""Small plots of the last hour, drawn as SVG in the page: no script, nothing loaded.

They show what `/metrics` counts and CloudWatch gets (docs/reference/metrics.md), by the minute.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from vitrine.deliver.metrics.minute import SLOW_TILE_SECONDS

Plot = dict[str, Any]
"""A title, the largest value in words, and the points of each line, as status.html draws them."""

WIDTH, HEIGHT = 240, 48
"""Units of the drawing."""
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
        *(_plot(title, values, IN_A_MINUTE) for title, values in counted.items()),
        _plot("Reads found in the block cache", [_hit_percent(item) for item in minutes], "%", 100),
        *(
            _plot(f"95 of 100 {kind} answers within", values, "ms")
            for kind in KINDS
            if any(values := [item["percentile_95_ms"].get(kind, 0.0) for item in minutes])
        ),
        # One scale for all programs, so that they can be compared.
        *(_plot(name, values, "s in a minute", most_cpu) for name, values in cpu.items()),
        _plot("Memory of the gateway", memory, "MiB"),
    ]


def _hit_percent(minute: Mapping[str, Any]) -> float:
    metrics: Mapping[str, float] = minute["metrics"]
    hits, misses = (metrics.get(f"BlockCache{what}", 0.0) for what in ("Hits", "Misses"))
    return 100 * hits / ((hits + misses) or 1)


def _plot(title: str, values: Sequence[float], unit: str, scale: float = 0.0) -> Plot:
    most = max(values)
    top = max(scale, most) or 1.0
    step = WIDTH / (len(values) - 1)
    points = (
        f"{index * step:.1f},{HEIGHT - value / top * (HEIGHT - 2) - 1:.1f}"
        for index, value in enumerate(values)
    )
    return {"title": title, "points": " ".join(points), "most": f"at most {most:,.4g} {unit}"}
