"""`vitrine redirects import`: redirects from a CSV file, a million if need be."""

import csv
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from vitrine.api.curation_client import RedirectsClient
from vitrine.bootstrap.curation import redirects_of
from vitrine.bootstrap.deployment import Deployment
from vitrine.cli.console.environment import DEFAULT, Environment, connected
from vitrine.cli.console.printing import print_json, print_lines, print_message
from vitrine.cli.console.program import UNSUCCESSFUL, AsJson, stop
from vitrine.errors import TransientError
from vitrine.identify.redirects.bulk import THREADS, Workers
from vitrine.identify.redirects.bulk_import import (
    ImportOptions,
    ImportResult,
    plan_import,
    write_import,
)
from vitrine.identify.redirects.csv_file import RowFault, read_rows
from vitrine.identify.redirects.import_plan import ImportPlan, open_import_plan
from vitrine.identify.redirects.redirects import Redirects

SHOWN = 20
"""Faults that are printed; --json has LISTED, --faults all."""
LISTED = 1_000
PLANNED = {
    "rows": "rows",
    "duplicates": "repeat another row",
    "new": "new redirects",
    "changed": "change the target of a redirect",
    "over_tombstones": "replace a tombstone",
    "over_live_images": "replace a live image",
    "collapsed": "go straight to the end of a chain, past the NEW of their row",
    "stand": "exist already",
    "faults": "are faulty",
}
"""Meaning of each count of a plan."""

File = Annotated[
    Path,
    typer.Argument(
        help="A CSV file in UTF-8 with the columns old, new and, if you like, note and owner.",
        metavar="FILE",
    ),
]


def import_redirects(
    file: File,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would be done, but write nothing.")
    ] = False,
    skip_faulty: Annotated[
        bool, typer.Option("--skip-faulty", help="Import the other rows even if some are faulty.")
    ] = False,
    replace_live: Annotated[
        bool, typer.Option("--replace-live", help="Let redirects replace live images.")
    ] = False,
    replace_withdrawn: Annotated[
        bool, typer.Option("--replace-withdrawn", help="Let redirects replace tombstones.")
    ] = False,
    allow_dangling: Annotated[
        bool, typer.Option("--allow-dangling", help="Allow targets that are yet to come.")
    ] = False,
    take_over: Annotated[
        bool,
        typer.Option(
            "--take-over", help="Let redirects replace what belongs to another collection."
        ),
    ] = False,
    faults: Annotated[
        Path | None, typer.Option(help="Write every faulty row to this CSV file.", metavar="FILE")
    ] = None,
    threads: Annotated[
        int, typer.Option(min=1, max=48, help="How many changes to make at once.")
    ] = THREADS,
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Import redirects from a CSV file; if any row is faulty, import nothing.

    It may be stopped and run again at any time: redirects that exist already are left alone.

    Exit code 0: every row is a redirect now. 1: rows are faulty, or it was cut off. 2: wrong
    usage, or the service is not running.
    """
    if not file.is_file():
        stop(f"{file} is not a file.")
    options = ImportOptions(
        replace_live=replace_live,
        replace_withdrawn=replace_withdrawn,
        allow_dangling=allow_dangling,
        takes_over=take_over,
    )
    written: ImportResult | None = None
    with connected(environment) as service, open_import_plan() as plan, Workers(threads) as workers:
        redirects, write = Redirects(service.register), _writer(service, workers)
        with _bars(as_json) as progress:
            rows = read_rows(file, lambda read: progress("reading", read, file.stat().st_size))
            plan_import(redirects, plan, rows, options, workers, progress)
            summary = plan.summary()
            if not dry_run and (skip_faulty or not summary["faults"]):
                try:
                    written = write(plan, options, progress)
                except TransientError as error:
                    print_message(
                        f"The import was cut off ({error}). Run the same command again to continue."
                        " If it replaced images, run `vitrine edge invalidate --all` when it is"
                        " done."
                    )
                    raise typer.Exit(UNSUCCESSFUL) from None
        _report(plan, written, faults, as_json)
    if summary["faults"] or (written and written.refused):
        raise typer.Exit(UNSUCCESSFUL)


def _writer(service: Deployment, workers: Workers) -> Callable[..., ImportResult]:
    """Return what writes a plan, with options and progress."""
    redirects = redirects_of(service)
    if isinstance(redirects, RedirectsClient):
        return redirects.write_import
    return lambda plan, options, progress: write_import(redirects, plan, options, workers, progress)


def _report(
    plan: ImportPlan, written: ImportResult | None, faults: Path | None, as_json: bool
) -> None:
    if faults:
        _write_faults(faults, plan.faults())
    refused = written.refused if written else []
    shown = [*islice(plan.faults(), LISTED if as_json else SHOWN), *refused]
    summary, codes = plan.summary(), plan.faults_by_code()
    if as_json:
        document: dict[str, Any] = {
            "planned": {name: summary[name] for name in PLANNED},
            "faults_by_code": codes,
            "written": dict(written.counts) if written else None,
            "faults": [_as_json(fault) for fault in shown],
        }
        print_json(document)
        return
    lines = [f"{summary[name]:>12,} {text}" for name, text in PLANNED.items() if summary[name]]
    lines += [f"{count:>14,} {code}" for code, count in codes.items()]
    lines += [f"{'':14}line {fault.line}: {fault.sentence}" for fault in shown]
    if summary["faults"] > SHOWN:
        lines.append(f"{'':14}and more: --faults FILE writes them all")
    lines += _conclusion(written, bool(summary["faults"]))
    print_lines(lines)


def _conclusion(written: ImportResult | None, faulty: bool) -> Iterator[str]:
    if written is None:
        yield "Nothing was written." + (
            " Correct the file, or import the other rows with --skip-faulty." if faulty else ""
        )
        return
    yield f"{written.counts['written']:>12,} redirects were written"
    if written.counts["collapsed"]:
        yield f"{written.counts['collapsed']:>12,} that redirected to one of them were retargeted"


def _write_faults(path: Path, faults: Iterable[RowFault]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("line", "old", "new", "code", "sentence"))
        for fault in faults:
            writer.writerow((fault.line, fault.old, fault.new, fault.code, fault.sentence))


def _as_json(fault: RowFault) -> dict[str, Any]:
    return {
        "line": fault.line,
        "old": fault.old,
        "new": fault.new,
        "code": fault.code,
        "sentence": fault.sentence,
    }


@contextmanager
def _bars(as_json: bool) -> Iterator[Any]:
    """Yield a function that shows the progress of each stage as a bar on the terminal."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    console = Console(stderr=True)
    quiet = as_json or not console.is_terminal
    columns = (
        TextColumn("{task.description:>10}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=quiet) as bars:
        tasks: dict[str, Any] = {}

        def progress(stage: str, done: int, total: int | None) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total)
            bars.update(tasks[stage], completed=done)

        yield progress
