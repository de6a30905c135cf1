"""The figures as one HTML page that loads nothing: plots by day, and tables."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from vitrine.cli.pages.kit import KIT, render, stylesheet
from vitrine.cli.pages.plot import Plot, draw_plot
from vitrine.statistics.count import Figures
from vitrine.statistics.summary import COUNTED, ESTIMATES, Summary, ranked, values
from vitrine.store.clock import now

HERE = Path(__file__).parent
SHOWN = 200
"""Rows of a table; the CSV has all."""


def statistics_page(
    summary: Summary, titles: Mapping[str, str], environment: str, edge_url: str
) -> str:
    """Return the page as HTML."""
    first, last = next(iter(summary.days)), next(reversed(summary.days))
    return render(
        HERE / "statistics.html",
        title=f"Visits · {environment} · Vitrine",
        style=stylesheet(KIT / "plots.css", HERE / "statistics.css"),
        environment=environment,
        edge_url=edge_url,
        first=first,
        last=last,
        made=now()[:16].replace("T", " "),
        names=list(COUNTED),
        sums=[(name, f"{count:,}") for name, count in values(summary.together).items()],
        plots=list(_plots(summary)),
        tables=list(_tables(summary, titles, edge_url)),
        counted=COUNTED,
        estimates=ESTIMATES,
        remarks=list(_remarks(summary)),
    )


def _plots(summary: Summary) -> Iterator[Plot]:
    """Yield a plot of each figure, from the first day that was counted to the last."""
    counted = [number for number, one in enumerate(summary.days.values()) if one]
    if len(counted) < 2:
        return
    days = [*summary.days.values()][counted[0] : counted[-1] + 1]
    found = [values(one.together if one else Figures()) for one in days]
    for name in COUNTED:
        yield draw_plot(name.capitalize(), [day[name] for day in found], "in a day")


def _tables(summary: Summary, titles: Mapping[str, str], edge_url: str) -> Iterator[dict[str, Any]]:
    for kind, found in (("Objects", summary.objects), ("Collections", summary.collections)):
        pages = f"{edge_url}/{kind.lower()}/"
        rows = [
            (titles.get(name, "") or name, name, pages + quote(name, safe=""), _cells(one))
            for name, one in ranked(found)[:SHOWN]
        ]
        yield {"title": kind, "rows": rows, "count": len(found)}
    countries = [(name, "", "", _cells(one)) for name, one in ranked(summary.countries)]
    yield {"title": "Countries", "rows": countries, "count": len(countries)}
    days = [
        (day, "" if one else "no request in the log, or not counted yet", "",
         _cells(one.together if one else Figures()))
        for day, one in reversed(summary.days.items())
    ]  # fmt: skip
    yield {"title": "Days", "rows": days, "count": len(days)}


def _cells(figures: Figures) -> list[str]:
    return [f"{count:,}" for count in values(figures).values()]


def _remarks(summary: Summary) -> Iterator[str]:
    yield f"{summary.robot_requests:,} requests of robots are left out."
    if summary.others != Figures():
        yield (
            "A day had more objects than have figures of their own; the others are counted in the "
            "figures at the top."
        )
    if summary.damaged:
        yield f"{summary.damaged:,} lines of the log were damaged, and skipped."
    if summary.cuts:
        yield f"Too many came at once, {summary.cuts:,} times: some are counted twice."
