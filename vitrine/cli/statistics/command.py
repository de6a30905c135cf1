"""`vitrine statistics`: views, openings, zooms and downloads, as a table, CSV and a page."""

import csv
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer

from vitrine.bootstrap.day_figures import deployed_day_figures
from vitrine.cli.console.environment import DEFAULT, Environment, connected
from vitrine.cli.console.printing import print_json, print_lines, show_waiting
from vitrine.cli.console.program import UNSUCCESSFUL, AsJson, stop
from vitrine.cli.statistics.page import statistics_page
from vitrine.cli.statistics.table import statistics_lines
from vitrine.errors import ObjectMissing
from vitrine.ports import ObjectStore
from vitrine.site.dumps.files import OBJECTS_JSONL, read_dump
from vitrine.statistics.day_files import DayFigures
from vitrine.statistics.summary import COUNTED, Summary, rows_of, values
from vitrine.text.formulas import harmless

DAYS = 30
"""Days that are shown unless others are requested."""
MAX_DAYS = 3_660

From = Annotated[
    datetime | None,
    typer.Option(
        "--from", formats=["%Y-%m-%d"], help="First day, UTC.", show_default=f"{DAYS} days"
    ),
]
To = Annotated[
    datetime | None,
    typer.Option("--to", formats=["%Y-%m-%d"], help="Last day, UTC.", show_default="today"),
]
Csv = Annotated[
    Path | None,
    typer.Option(
        "--csv", help="Write the figures of each day to this file, as a table.", dir_okay=False
    ),
]
Html = Annotated[
    Path | None,
    typer.Option(
        help="Write the figures and their plots to this file, as a page that needs no network.",
        dir_okay=False,
    ),
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("statistics")(statistics)


def statistics(
    first: From = None,
    last: To = None,
    table: Csv = None,
    html: Html = None,
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Show who looks at what, by day.

    Views, openings, zooms and downloads, by object, collection and country, from the log of the
    edge. Robots are left out. A Lambda counts each day; on this machine, the log is counted now.

    Exit code 0: done. 1: no request was logged in these days. 2: wrong usage, or the service is not
    running.
    """
    days = _days(first, last)
    with connected(environment) as service:
        titles = _read_titles(service.site)
        with show_waiting("reading the figures …"):
            summary = _sum_up(deployed_day_figures(days, environment), titles, table)
    if html:
        page = statistics_page(summary, titles, environment, service.edge_url)
        html.write_text(page, encoding="utf-8")
    if as_json:
        print_json(summary.as_json(titles))
    elif not (html or table):
        print_lines(statistics_lines(summary, titles))
    if not any(summary.days.values()):
        raise typer.Exit(UNSUCCESSFUL)


def _days(first: datetime | None, last: datetime | None) -> list[str]:
    """Return the names of the days, or end with exit code 2."""
    until = last.date() if last else datetime.now(UTC).date()
    since = first.date() if first else until - timedelta(days=DAYS - 1)
    count = (until - since).days + 1
    if not 1 <= count <= MAX_DAYS:
        stop(
            f"From {since} to {until} are {count:,} days; give at least one, at most {MAX_DAYS:,}."
        )
    return [date.fromordinal(since.toordinal() + one).isoformat() for one in range(count)]


def _sum_up(
    days: Iterator[tuple[str, DayFigures | None]], titles: dict[str, str], table: Path | None
) -> Summary:
    """Return the sum of the days, each of which is written to the table as it comes."""
    summary = Summary()
    with ExitStack() as stack:
        rows = None
        if table:
            # With the mark by which spreadsheets know the encoding.
            file = stack.enter_context(table.open("w", encoding="utf-8-sig", newline=""))
            rows = csv.writer(file)
            rows.writerow(["day", "kind", "identifier", "title", *COUNTED])
        for day, figures in days:
            summary.add(day, figures)
            if rows and figures:
                for of_day, kind, name, found in rows_of(figures):
                    title = "" if kind == "country" else titles.get(name, "")
                    cells = [of_day, kind, harmless(name), harmless(title)]
                    rows.writerow([*cells, *values(found).values()])
    return summary


def _read_titles(site: ObjectStore) -> dict[str, str]:
    """Return the titles of objects and collections, as the newest dump has them."""
    with tempfile.TemporaryDirectory(prefix="vitrine-titles-") as folder:
        path = Path(folder) / "objects.jsonl.gz"
        try:
            site.download(OBJECTS_JSONL, path)
        except ObjectMissing:
            return {}
        return {
            str(row["identifier"]): next((texts[0] for texts in labels.values() if texts), "")
            for row in read_dump(path)
            if (labels := row.get("label"))
        }
