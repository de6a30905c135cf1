"""What `vitrine masters migrate` shows while it works, and when it has ended."""

from collections.abc import Iterator
from threading import Lock
from typing import Any, Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from vitrine.cli.console.printing import ProgressLines
from vitrine.migrate.plan import MigrationPlan
from vitrine.migrate.planned_row import UNSUCCESSFUL, RowResult
from vitrine.migrate.services import MapProgress

SHOWN = 5
"""Rows of one reason that the terminal shows; the reports have all."""
SPEED_SECONDS = 300.0
"""The rate and the time left are those of the last five minutes."""
MEGA = 1_000_000
CENT = 0.01


class _Rate(ProgressColumn):
    """Images per hour."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text(f"{speed * 3_600:,.0f}/h" if speed else "")


class MigrationDisplay:
    """A bar on standard error if that is a terminal; otherwise a line now and then."""

    def __init__(self, quiet: bool) -> None:
        console = Console(stderr=True)
        self._quiet = quiet or not console.is_terminal
        self._lines = None if quiet or console.is_terminal else ProgressLines("images", None)
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            _Rate(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}"),
            console=console,
            speed_estimate_period=SPEED_SECONDS,
            transient=True,
            disable=self._quiet,
        )
        self._task = self._progress.add_task("reading", total=None, note="")
        self._rows = 0
        self._sent = 0
        self._unsuccessful = 0
        self._lock = Lock()

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def count_row(self) -> None:
        """Count one more row that was read."""
        self._rows += 1
        if self._rows % 1_000 == 0:
            self._progress.update(self._task, completed=self._rows)

    def show_prepared(self, plan: MigrationPlan, resumed: bool) -> None:
        """Begin the bar of the migration itself, now that all rows are known."""
        counts = plan.counts()
        total = sum(counts.values())
        self._unsuccessful = sum(counts[state] for state in UNSUCCESSFUL)
        if resumed and not self._quiet:
            self._progress.console.print(
                f"continuing: {total - counts['waiting']:,} of {total:,} were done before"
            )
        self._progress.remove_task(self._task)
        self._task = self._progress.add_task(
            "migrating", total=total, completed=total - counts["waiting"], note=""
        )

    def count_checked(self) -> None:
        """Count one more row that was checked."""
        self._progress.advance(self._task)

    def count_bytes(self, count: int) -> None:
        """Add uploaded bytes; may be called from any thread."""
        with self._lock:
            self._sent += count

    def count_ended(self, result: RowResult) -> None:
        """Count one more row that has ended."""
        self._unsuccessful += result.state in UNSUCCESSFUL
        self._progress.update(self._task, advance=1, note=self._note())
        self._print_done()

    def show_map_progress(self, progress: MapProgress) -> None:
        """Show how far the Distributed Map is."""
        self._progress.update(
            self._task, completed=progress.done, note=f"{progress.unsuccessful:,} not published"
        )
        self._print_done()

    def _print_done(self) -> None:
        if self._lines:
            self._lines.show(int(self._progress.tasks[0].completed))

    def _note(self) -> str:
        sent = f", {self._sent / MEGA:,.0f} MB uploaded" if self._sent else ""
        return f"{self._unsuccessful:,} not published{sent}"


def report_lines(summary: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of the report for a terminal."""
    counts = summary["counts"]
    if summary["dry_run"]:
        yield f"{summary['rows']:,} rows: {counts['waiting']:,} would be migrated, " + ", ".join(
            f"{counts[state]:,} {state}"
            for state in ("unchanged", "withdrawn", "rejected", "missing", "failed")
        )
        yield from _foreseen_lines(summary["foreseen"])
    else:
        yield f"{summary['rows']:,} rows: " + ", ".join(
            f"{count:,} {state}" for state, count in counts.items() if count or state != "waiting"
        )
        yield from _work_lines(summary)
    for reason in summary["unsuccessful"]:
        yield f"{reason['count']:,} {reason['state']}: {reason['code']}"
        for row in reason["rows"][:SHOWN]:
            yield f"  line {row['line']}: {row['source'] or row['key']}"
            has_value = row["value"] not in ("", row["source"])
            yield f"    {row['sentence']}" + (f" Seen: {row['value']}" if has_value else "")
        if reason["count"] > SHOWN:
            yield f"  and {reason['count'] - SHOWN:,} more: see --report or --report-json"
    if not summary["dry_run"]:
        if not summary["tolerated"]:
            yield "More rows were rejected, missing or failed than --tolerate allows."
        if summary["cause"]:
            yield f"The state machine of the migration failed: {summary['cause']}"
        if not summary["complete"]:
            yield "It stopped before its end; run the same command again to continue."


def _work_lines(summary: dict[str, Any]) -> Iterator[str]:
    yield (
        f"{summary['master_bytes'] / MEGA:,.1f} MB of masters became "
        f"{summary['access_master_bytes'] / MEGA:,.1f} MB of access masters, "
        f"{summary['pixels'] / MEGA:,.1f} megapixels"
    )
    yield (
        f"{summary['worked_seconds']:,.1f} s: {summary['images_per_hour']:,.0f} images/hour, "
        f"{summary['megapixels_per_second']:,.1f} megapixels/s"
    )
    yield _cost_line(summary["cost"])


def _foreseen_lines(foreseen: dict[str, Any]) -> Iterator[str]:
    """Yield what the rows that would be migrated will take."""
    if not foreseen["images"]:
        return
    yield (
        f"{foreseen['master_bytes'] / MEGA:,.1f} MB of masters, {foreseen['pixels'] / MEGA:,.1f} "
        f"megapixels, will be about {foreseen['access_master_bytes'] / MEGA:,.1f} MB of access "
        "masters"
    )
    if foreseen["assumed"]:
        yield f"  of {foreseen['assumed']:,} of them the size is assumed, not read"
    yield (
        f"About {foreseen['convert_hours']:,.2f} hours of one converter (several work at once), "
        f"and {foreseen['upload_hours']:,.2f} hours of a line of 100 Mbit/s"
    )
    yield _cost_line(foreseen["cost"])


def _cost_line(cost: dict[str, Any]) -> str:
    return (
        f"On AWS about {_dollars(sum(cost['once'].values()))} once, and "
        f"{_dollars(cost['month']['Access masters'])} a month for access masters "
        f"({cost['region']}, list prices of {cost['prices_as_of']})"
    )


def _dollars(usd: float) -> str:
    return f"${usd:,.2f}" if usd >= CENT else "less than a cent"
