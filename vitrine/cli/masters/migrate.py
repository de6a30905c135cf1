"""`vitrine masters migrate`: a whole collection, from a manifest, folder or prefix to a report."""

import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from vitrine.bootstrap.deployed_services import migration_services
from vitrine.bootstrap.local_service import local_directory
from vitrine.cli.console.environment import DEFAULT, Environment, connected
from vitrine.cli.console.printing import print_json, print_lines, print_message
from vitrine.cli.console.program import UNSUCCESSFUL, AsJson, stop
from vitrine.cli.masters.migration_display import MigrationDisplay, report_lines
from vitrine.cli.masters.migration_page import migration_page
from vitrine.errors import IdentifierRefused, MigrationUnusable
from vitrine.identify.identifier import parse_identifier
from vitrine.identify.owners import note_owner
from vitrine.local.lock import hold_folder
from vitrine.migrate.cloud_driver import CloudDriver
from vitrine.migrate.dry_run import check_rows
from vitrine.migrate.foresee import foresee, read_pixels
from vitrine.migrate.local_driver import LocalDriver
from vitrine.migrate.migrate_master import follow_master, migrate_master
from vitrine.migrate.migration_report import WORKED, build_report, is_successful
from vitrine.migrate.plan import MigrationPlan
from vitrine.migrate.prepare import ENDED, Collection, prepare_plan
from vitrine.migrate.services import MigrationServices
from vitrine.migrate.tolerance import Tolerance, parse_tolerance
from vitrine.store.clock import now
from vitrine.store.side_files import describe_skipped

LOCAL_AT_ONCE = 4
"""Masters in flight on one machine, whose emulator starts a process for each."""

Source = Annotated[
    Path | None,
    typer.Argument(
        help="A manifest (CSV or JSON Lines with a column 'source'), or a folder of masters.",
        metavar="MANIFEST|FOLDER",
    ),
]
Prefix = Annotated[
    str | None,
    typer.Option(
        help="Migrate every master in the bucket whose key begins with PREFIX, in place of a "
        "manifest or folder.",
        metavar="PREFIX",
    ),
]
Owner = Annotated[
    str | None,
    typer.Option(
        "--collection",
        help="Identifier of the collection that the masters belong to: their keys begin with it, "
        "so that they never meet those of another folder.",
        metavar="ID",
    ),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Check every row, but upload and start nothing.")
]
AtOnce = Annotated[
    int | None,
    typer.Option(
        help="How many masters to have in flight at once.",
        min=1,
        max=10_000,
        show_default=f"{LOCAL_AT_ONCE} on this machine; on AWS as many as executions may run",
    ),
]
Tolerate = Annotated[
    str,
    typer.Option(
        help="Stop when more than this share of all rows is rejected, missing or failed.",
        metavar="PERCENT",
    ),
]
ReportPage = Annotated[
    Path | None,
    typer.Option("--report", help="Write the report to FILE as an HTML page.", metavar="FILE"),
]
ReportJson = Annotated[
    Path | None,
    typer.Option("--report-json", help="Write the report to FILE as JSON.", metavar="FILE"),
]


def migrate(
    source: Source = None,
    prefix: Prefix = None,
    owner: Owner = None,
    dry_run: DryRun = False,
    at_once: AtOnce = None,
    tolerate: Tolerate = "5%",
    report_page: ReportPage = None,
    report_json: ReportJson = None,
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Ingest a whole collection and report what became of every master.

    It may be stopped at any moment: the same command continues where it was.

    Exit code 0: nothing failed, and no more than tolerated was rejected or missing; in a dry run,
    nothing was found. 1: otherwise. 2: wrong usage, or the service is not running.
    """
    collection = _collection(source, prefix, owner)
    try:
        tolerance = Tolerance(parse_tolerance(tolerate))
    except ValueError:
        stop(f"--tolerate {tolerate} is not a percentage from 0 to 100.")
    for path in (report_page, report_json):
        if path and not path.absolute().parent.is_dir():
            stop(f"There is no folder {path.absolute().parent} to write the report into.")
    with _usable(), connected(environment):
        summary = migrate_collection(
            collection, environment, tolerance, dry_run=dry_run, at_once=at_once, quiet=as_json
        )
    _write(summary, report_page, report_json, as_json)
    if summary["unsuccessful"] if dry_run else not is_successful(summary):
        raise typer.Exit(UNSUCCESSFUL)


def migrate_collection(
    collection: Collection,
    environment: str,
    tolerance: Tolerance,
    *,
    dry_run: bool = False,
    at_once: int | None = None,
    starts: bool = True,
    quiet: bool = False,
) -> dict[str, Any]:
    """Migrate with progress on standard error; return the summary of the report.

    Without `starts`, masters are uploaded, and the service ingests them by itself.

    Raises MigrationUnusable, OSError, and what `connected` explains.
    """
    display = MigrationDisplay(quiet=quiet)
    with _plan(collection, environment, dry_run) as plan:
        services = migration_services(environment)
        if not starts:
            services = replace(services, map_runs=None, starts=False)
        with display:
            skipped: list[str] = []
            resumed = prepare_plan(
                plan, collection, environment, services, display.count_row, skipped.append
            )
            _stop_if_migrated_otherwise(plan, collection, environment)
            display.show_prepared(plan, resumed)
            if skipped:
                print_message(describe_skipped(skipped))
            if dry_run:
                check_rows(services, plan, display.count_checked)
            else:
                _run(services, plan, at_once, tolerance, display)
        report = build_report(plan, tolerance, services.region) | {"dry_run": dry_run}
        if dry_run:
            report["foreseen"] = foresee(plan, services.region, read_pixels)
        return report


def _collection(source: Path | None, prefix: str | None, owner: str | None) -> Collection:
    if (source is None) == (prefix is None):
        stop("Name either a MANIFEST or FOLDER, or a --prefix.")
    if source is not None and not source.exists():
        stop(f"There is no file or folder {source}.")
    if source is None and owner is not None:
        stop("--collection is for files that are uploaded; with --prefix, masters keep their keys.")
    try:
        owner = parse_identifier(owner) if owner is not None else ""
    except IdentifierRefused as error:
        stop(f"--collection: {error}")
    return Collection(place=source, prefix=prefix or "", owner=owner)


@contextmanager
def _usable() -> Iterator[None]:
    try:
        yield
    except (MigrationUnusable, OSError) as error:
        stop(str(error))


@contextmanager
def _plan(collection: Collection, environment: str, dry_run: bool) -> Iterator[MigrationPlan]:
    """Yield the plan that is kept between runs; for a dry run one that is thrown away."""
    if dry_run:
        with tempfile.TemporaryDirectory() as scratch, MigrationPlan(Path(scratch, "plan")) as plan:
            yield plan
        return
    folder = local_directory() / "migrations" / collection.plan_name(environment)
    with hold_folder(folder), MigrationPlan(folder / "plan.sqlite") as plan:
        yield plan


def _stop_if_migrated_otherwise(
    plan: MigrationPlan, collection: Collection, environment: str
) -> None:
    """Exit with code 2 if files were migrated before under other keys, or others under theirs.

    The first would be ingested again as other images, the second would be replaced.
    """
    own = collection.plan_name(environment)
    for path in sorted((local_directory() / "migrations").glob("*/plan.sqlite")):
        if path.parent.name == own:
            continue
        with MigrationPlan(path) as other:
            source = other.fact("source") if other.fact("environment") == environment else ""
        if not source:
            continue
        key, replaced = plan.find_replaced(path)
        if key:
            stop(
                f"{replaced} was migrated before, from {source}, under the key {key}, and one of "
                "these files would replace it. Give these a collection of their own: --collection "
                "ID."
            )
        if collection.place is None or not collection.place.is_dir():
            continue
        count, key = plan.find_other_keys(path)
        if count:
            stop(
                f"{count:,} of these files were migrated before, from {source}, under other keys "
                f"such as {key}: they would be ingested again as other images. Migrate {source} "
                "again instead, or list the files that are new in a manifest next to it."
            )


def _run(
    services: MigrationServices,
    plan: MigrationPlan,
    at_once: int | None,
    tolerance: Tolerance,
    display: MigrationDisplay,
) -> None:
    for owner in plan.owners():
        note_owner(services.ingest.records, owner)
    begun, before = time.monotonic(), float(plan.fact(WORKED) or 0)

    def end_row(result: Any) -> None:
        plan.set_fact(WORKED, str(before + time.monotonic() - begun))
        display.count_ended(result)

    if services.map_runs:
        done = CloudDriver(
            services=services,
            map_runs=services.map_runs,
            plan=plan,
            at_once=at_once or 0,
            tolerance=tolerance,
            on_bytes=display.count_bytes,
            on_end=display.count_ended,
            on_progress=display.show_map_progress,
        ).run()
        plan.set_fact(WORKED, str(before + time.monotonic() - begun))
    else:
        done = LocalDriver(
            services=services,
            plan=plan,
            at_once=at_once or LOCAL_AT_ONCE,
            tolerance=tolerance,
            follow=migrate_master if services.starts else follow_master,
            on_bytes=display.count_bytes,
            on_end=end_row,
        ).run()
    if done:
        plan.set_fact(ENDED, now())


def _write(
    summary: dict[str, Any], report_page: Path | None, report_json: Path | None, as_json: bool
) -> None:
    text = json.dumps(summary, indent=2, ensure_ascii=False)
    if report_json:
        report_json.write_text(text + "\n", encoding="utf-8")
    if report_page:
        report_page.write_text(migration_page(summary), encoding="utf-8")
    if as_json:
        print_json(summary)
    else:
        print_lines(report_lines(summary))
