"""Figures as text, for tables and charts."""


def format_figure(value: float | None) -> str:
    """Return three significant figures, thousands with commas; a dash for None."""
    if value is None:
        return "-"
    if value >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.3g}"
