"""Small plots of the last hour, drawn as SVG in the page: no script, nothing loaded."""

from collections.abc import Mapping, Sequence
from typing import Any

Plot = dict[str, Any]
"""A title, the largest value in words, and the points of each line, as status.html draws them."""

WIDTH, HEIGHT = 240, 48
"""Units of the drawing."""


def draw_plots(minutes: Sequence[Mapping[str, Any]]) -> list[Plot]:
    """Return the plots of the minutes, the oldest first; none before there are two."""
    if len(minutes) < 2:
        return []
    cpu = {
        f"{program}: CPU": [item["cpu_seconds"].get(program, 0.0) for item in minutes]
        for program in ("nginx", "gateway", "iipsrv")
    }
    most_cpu = max(max(values) for values in cpu.values())
    return [
        _plot("Answers of the gateway", [item["answers"] for item in minutes], "in a minute"),
        _plot("Renders", [item["renders"] for item in minutes], "in a minute"),
        # One scale for all programs, so that they can be compared.
        *(_plot(name, values, "s in a minute", most_cpu) for name, values in cpu.items()),
    ]


def _plot(title: str, values: Sequence[float], unit: str, scale: float = 0.0) -> Plot:
    most = max(values)
    top = max(scale, most) or 1.0
    step = WIDTH / (len(values) - 1)
    points = (
        f"{index * step:.1f},{HEIGHT - value / top * (HEIGHT - 2) - 1:.1f}"
        for index, value in enumerate(values)
    )
    return {"title": title, "points": " ".join(points), "most": f"at most {most:,.4g} {unit}"}
