"""Charts as SVG whose colours are CSS variables: right in light, in dark and on paper."""

import math
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from io import StringIO

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from loadtest.report.format_figure import format_figure

PALETTE_LIGHT = ("#0b62a4", "#c2410c", "#15803d", "#7e22ce", "#a16207", "#475569", "#be185d")
PALETTE_DARK = ("#6cb4ee", "#fb923c", "#4ade80", "#c084fc", "#facc15", "#94a3b8", "#f472b6")
CSS_PIXELS_PER_INCH = 96
MARKERS = ("o", "s", "^", "D", "v", "x", "P")

_INK, _LINE = "#010101", "#020202"
_SERIES = tuple(f"#03030{number}" for number in range(len(PALETTE_LIGHT)))
"""Stand for CSS variables while matplotlib draws."""


def _css_variables(ink: str, line: str, palette: Sequence[str]) -> str:
    series = "".join(f"--series-{number}:{colour};" for number, colour in enumerate(palette))
    return f"--ink:{ink};--line:{line};{series}"


COLOURS = (
    f":root{{{_css_variables('#1a1a1a', '#d4d4d4', PALETTE_LIGHT)}}}"
    "@media screen and (prefers-color-scheme:dark)"
    f"{{:root{{{_css_variables('#e8e8e8', '#4a4a4a', PALETTE_DARK)}}}}}"
)
"""CSS that the charts need: put it into the page, or into a chart in a file of its own."""


@dataclass(frozen=True)
class Series:
    """One line of a chart: its points, and half the width of each point's interval.

    `number` gives it its colour and marker, so that it keeps them from chart to chart.
    """

    name: str
    number: int
    x: Sequence[float]
    y: Sequence[float]
    half_widths: Sequence[float] = ()
    dashed: bool = False


def line_chart(name: str, series: Sequence[Series], x_label: str, y_label: str) -> str:
    """Lines with error bars. `name` makes the chart's ids unique on a page."""
    with _chart_style(name):
        figure = Figure(figsize=(6.4, 3.8), layout="constrained")
        axes: Axes = figure.subplots()
        for line in series:
            axes.errorbar(
                line.x,
                line.y,
                yerr=line.half_widths or None,
                label=line.name,
                color=_SERIES[line.number % len(_SERIES)],
                marker=MARKERS[line.number % len(MARKERS)],
                markersize=4,
                linestyle="--" if line.dashed else "-",
                linewidth=1.5,
            )
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label)
        axes.set_ylim(bottom=0)
        axes.grid(color=_LINE, linewidth=0.5)
        axes.legend(frameon=False, fontsize="small")
        return _render_svg(name, figure)


def grouped_bars(
    name: str,
    groups: Sequence[str],
    bars: Sequence[tuple[str, Sequence[float]]],
    y_label: str,
    logarithmic: bool = False,
    width: float = 0,
) -> str:
    """Draw one bar per series in each group, with its value on top; a NaN leaves its bar out.

    `width` is in inches; 0 gives every group 0.9.
    """
    with _chart_style(name):
        figure = Figure(figsize=(width or 1.0 + 0.9 * len(groups), 3.8), layout="constrained")
        axes: Axes = figure.subplots()
        bar = 0.84 / len(bars)
        for place, (label, values) in enumerate(bars):
            at = [group + (place + 0.5) * bar - 0.42 for group in range(len(groups))]
            drawn = axes.bar(at, values, bar, label=label, color=_SERIES[place % len(_SERIES)])
            numbers = [_format_tick(value) for value in values]
            axes.bar_label(drawn, numbers, fontsize="x-small", padding=1)
        axes.set_xticks(range(len(groups)), groups)
        axes.set_ylabel(y_label)
        if logarithmic:
            axes.set_yscale("log")
            axes.yaxis.set_major_formatter("{x:,g}")  # its own writes TeX, which is not parsed
        axes.margins(y=0.15)
        axes.legend(frameon=False, fontsize="small")
        return _render_svg(name, figure)


def bar_chart(
    title: str,
    groups: Mapping[str, Sequence[float | None]],
    series: Sequence[str],
    unit: str,
    *,
    one_scale: bool = False,
) -> str:
    """Draw horizontal bars: in each group one of each series, and none for None.

    Rows of a report differ by powers of ten, so every group has a scale of its own, unless
    `one_scale`; the chart says so, and the figures stand next to the bars.
    """
    name = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
    own_scales = not one_scale and len(groups) > 1
    most = {
        group: _largest_value([values] if own_scales else groups.values())
        for group, values in groups.items()
    }
    with _chart_style(name):
        size = (7.5, 0.6 + len(groups) * (0.16 * len(series) + 0.12))
        figure = Figure(figsize=size, layout="constrained")
        axes: Axes = figure.subplots()
        bar = 0.84 / max(1, len(series))
        for place, label in enumerate(series):
            values = {group: row[place] for group, row in groups.items()}
            at = [group + (place + 0.5) * bar - 0.42 for group in range(len(groups))]
            lengths = [(value or 0) / most[group] for group, value in values.items()]
            drawn = axes.barh(at, lengths, bar, label=label, color=_SERIES[place % len(_SERIES)])
            texts = ["" if v is None else f"{format_figure(v)} {unit}" for v in values.values()]
            axes.bar_label(drawn, texts, fontsize="x-small", padding=2)
        axes.set_yticks(range(len(groups)), list(groups))
        axes.set_xticks([])
        axes.set_xlim(0, 1.2)
        axes.margins(y=0.01)
        axes.invert_yaxis()
        axes.spines["bottom"].set_visible(False)
        if own_scales:
            axes.set_xlabel("Each row has its own scale.", loc="left", fontsize="small")
        figure.legend(loc="outside upper left", ncols=4, frameon=False, fontsize="small")
        return _render_svg(name, figure)


def _largest_value(rows: Iterable[Sequence[float | None]]) -> float:
    return max((value for row in rows for value in row if value is not None), default=0) or 1


def draw_sparkline(title: str, times: Sequence[float], values: Sequence[float | None]) -> str:
    """Draw a line from 0 upwards over seconds from the start; None leaves a gap."""
    name = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
    with _chart_style(name):
        figure = Figure(figsize=(7.5, 2.2), layout="constrained")
        axes: Axes = figure.subplots()
        known = [math.nan if value is None else value for value in values]
        axes.plot(times, known, color=_SERIES[0], marker="o", markersize=3, linewidth=1.5)
        axes.set_xlabel("seconds")
        axes.set_ylim(bottom=0)
        axes.set_xlim(left=0)
        axes.grid(color=_LINE, linewidth=0.5)
        return _render_svg(name, figure)


def _format_tick(value: float) -> str:
    if math.isnan(value):
        return ""
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


def _chart_style(name: str) -> AbstractContextManager[None]:
    return matplotlib.rc_context(
        {
            "svg.fonttype": "none",
            "text.parse_math": False,
            "svg.hashsalt": name,
            "font.family": "sans-serif",
            "text.color": _INK,
            "axes.edgecolor": _INK,
            "axes.labelcolor": _INK,
            "xtick.color": _INK,
            "ytick.color": _INK,
            "axes.facecolor": "none",
            "figure.facecolor": "none",
            "axes.spines.top": False,
            "axes.spines.right": False,
        }
    )


def _render_svg(name: str, figure: Figure) -> str:
    buffer = StringIO()
    with warnings.catch_warnings():
        # A browser has the letters that matplotlib's own font lacks.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        # It says so of any legend when the machine is busy.
        warnings.filterwarnings("ignore", message='Creating legend with loc="best" can be slow')
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :].strip()
    svg = re.sub(r' xmlns(?::xlink)?="[^"]*"', "", svg, count=2).replace("xlink:href", "href")
    svg = re.sub(r"<metadata>.*</metadata>", "", svg, flags=re.DOTALL)
    variables = {_INK: "--ink", _LINE: "--line"}
    variables |= {colour: f"--series-{number}" for number, colour in enumerate(_SERIES)}
    for colour, variable in variables.items():
        svg = svg.replace(colour, f"var({variable})")
    svg = _shorten_svg(svg)
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'(href="#|url\(#)', rf"\g<1>{name}-", svg)
    width = round(figure.get_figwidth() * CSS_PIXELS_PER_INCH)
    sizes = f' role="img" style="max-width:{width}px"'
    return re.sub(r' width="[\d.]+pt" height="[\d.]+pt"', sizes, svg, count=1)


def _shorten_svg(svg: str) -> str:
    """Return the SVG without comments, unused ids, indentation, and digits that nobody sees."""
    svg = re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    used = set(re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', svg))
    ids = {name for pair in used for name in pair}
    svg = re.sub(r' id="([^"]+)"', lambda found: found[0] if found[1] in ids else "", svg)
    svg = re.sub(
        r' (?:d|x|y|transform)="[^"]*"',
        lambda found: re.sub(r"(\.\d)\d+", r"\1", found[0].replace("\n", "")),
        svg,
    )
    return re.sub(r"\n\s*", "\n", svg)
