"""Bars as inline SVG: colours are the page's CSS variables, so right in light, dark and print."""

from collections.abc import Mapping, Sequence
from html import escape

from loadtest.report.format_figure import format_figure

_WIDTH, _LABEL, _BAR, _GAP = 720, 130, 13, 10
_COLOURS = 4
"""That the page has."""
_VALUE = 90
"""Room for the number behind the longest bar."""


def bars(
    title: str,
    groups: Mapping[str, Sequence[float | None]],
    series: Sequence[str],
    unit: str,
    *,
    one_scale: bool = False,
) -> str:
    """Bars side by side: for each group one of each series, None where there is none.

    Every group has a scale of its own, for rows of a report differ by powers of ten, unless it is
    to be `one_scale`; the chart says so, and the numbers stand beside the bars.
    """
    whole = [value for values in groups.values() for value in values if value is not None]
    own_scales = not one_scale and len(groups) > 1
    height = len(groups) * (len(series) * _BAR + _GAP) + (1 + own_scales) * _BAR + _GAP
    parts = [
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(title)}" '
        f'style="max-width:{_WIDTH}px">'
    ]
    parts += _legend(series)
    y = _BAR + _GAP
    for group, values in groups.items():
        middle = y + len(series) * _BAR / 2 + 4
        parts.append(f'<text x="{_LABEL - 8}" y="{middle:g}" class="end">{escape(group)}</text>')
        scaled = whole if one_scale else [value for value in values if value is not None]
        most = max(scaled, default=0) or 1
        for number, value in enumerate(values):
            if value is not None:
                parts.append(_bar(number, value, value / most, y + number * _BAR, unit))
        y += len(series) * _BAR + _GAP
    if own_scales:
        parts.append(f'<text x="{_LABEL}" y="{y + _BAR - 3:g}">Each row has its own scale.</text>')
    return "".join([*parts, "</svg>"])


def _legend(series: Sequence[str]) -> list[str]:
    step = (_WIDTH - _LABEL) / len(series)
    return [
        f'<rect x="{_LABEL + number * step:g}" y="0" width="10" height="10" '
        f'class="s{number % _COLOURS}"/>'
        f'<text x="{_LABEL + number * step + 14:g}" y="10">{escape(name)}</text>'
        for number, name in enumerate(series)
    ]


def _bar(number: int, value: float, share: float, y: float, unit: str) -> str:
    length = max(1.0, share * (_WIDTH - _LABEL - _VALUE))
    end = _LABEL + length + 5
    return (
        f'<rect x="{_LABEL}" y="{y:g}" width="{length:.1f}" height="{_BAR - 2}" '
        f'class="s{number % _COLOURS}"/>'
        f'<text x="{end:.1f}" y="{y + _BAR - 3:g}">{format_figure(value)} {unit}</text>'
    )
