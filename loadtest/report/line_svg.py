"""A line over time as inline SVG, in the page's colours."""

from collections.abc import Sequence
from html import escape

from loadtest.report.format_figure import format_figure

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP, _RIGHT = 720, 170, 60, 22, 10, 12


def line(title: str, times: Sequence[float], values: Sequence[float | None]) -> str:
    """From 0 upwards; times are seconds from the begin. Gaps stay gaps: None is no 0."""
    known = [value for value in values if value is not None]
    most = max(known, default=0.0) or 1.0
    last = max(times, default=0.0) or 1.0

    def place(moment: float, value: float) -> tuple[float, float]:
        across = _LEFT + moment / last * (_WIDTH - _LEFT - _RIGHT)
        return across, _TOP + (1 - value / most) * (_HEIGHT - _TOP - _BOTTOM)

    parts = [
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(title)}" '
        f'style="max-width:{_WIDTH}px">'
    ]
    for value in (0.0, most / 2, most):
        _, y = place(0, value)
        parts.append(
            f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{_WIDTH - _RIGHT}" y2="{y:.1f}" '
            'stroke="var(--faint)"/>'
            f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" class="end">{format_figure(value)}</text>'
        )
    for share in (0.0, 0.5, 1.0):
        x, _ = place(share * last, 0)
        name = f"{format_figure(round(share * last, 1))} s"
        parts.append(f'<text x="{x:.1f}" y="{_HEIGHT - 5}" class="end">{name}</text>')
    stroke = 'fill="none" stroke="var(--s0)" stroke-width="2"'
    for run in _runs(times, values):
        dots = [place(moment, value) for moment, value in run]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in dots)
        parts.append(f'<polyline points="{points}" {stroke}/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2" class="s0"/>' for x, y in dots]
    return "".join([*parts, "</svg>"])


def _runs(
    times: Sequence[float], values: Sequence[float | None]
) -> list[list[tuple[float, float]]]:
    runs: list[list[tuple[float, float]]] = [[]]
    for moment, value in zip(times, values, strict=True):
        if value is None:
            runs.append([])
        else:
            runs[-1].append((moment, value))
    return [run for run in runs if run]
