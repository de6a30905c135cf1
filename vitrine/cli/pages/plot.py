"""Small plots, drawn as SVG in a page: no script, nothing loaded. `plots.css` is their look."""

from collections.abc import Sequence
from typing import Any

Plot = dict[str, Any]
"""A title, the largest value in words, and the points of each line, as `plots.html` draws them."""

WIDTH, HEIGHT = 240, 48
"""Units of the drawing."""


def draw_plot(title: str, values: Sequence[float], unit: str, scale: float = 0.0) -> Plot:
    """Return the plot of at least two values; `scale` is the least value at its upper edge."""
    most = max(values)
    top = max(scale, most) or 1.0
    step = WIDTH / (len(values) - 1)
    points = (
        f"{index * step:.1f},{HEIGHT - value / top * (HEIGHT - 2) - 1:.1f}"
        for index, value in enumerate(values)
    )
    return {"title": title, "points": " ".join(points), "most": f"at most {most:,.4g} {unit}"}
