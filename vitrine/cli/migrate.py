"""`vitrine migrate`: a whole collection, from a manifest, a folder or a prefix to a report."""

import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from vitrine.bootstrap.deployed_services import migration_services
from vitrine.bootstrap.local_service import local_directory
from vitrine.cli.environment import DEFAULT, UNSUCCESSFUL, AsJson, Environment, connected, stop
from vitrine.cli.migrate_show import Shown, lines
from vitrine.errors import MigrationUnusable
from vitrine.local.lock import only_one
from vitrine.migrate.check import check
from vitrine.migrate.cloud import CloudDriver
from vitrine.migrate.drive import Driver
from vitrine.migrate.page import page
from vitrine.migrate.plan import Plan
from vitrine.migrate.prepare import ENDED, Collection, prepare
from vitrine.migrate.report import WORKED, report, successful
from vitrine.migrate.services import MigrationServices
from vitrine.migrate.tolerance import Tolerance, parse_tolerance
from vitrine.store.clock import now

LOCAL_AT_ONCE = 4
"""Masters in flight on one machine, whose emulator starts a process for each."""

Place = Annotated[
    Path | None,
    typer.Argument(
        help="A manifest (CSV or JSON Lines, with a column `source`), or a folder of masters.",
        metavar="MANIFEST|FOLDER",
    ),
]
Prefix = Annotated[
    str | None,
    typer.Option(help="Instead: every master whose key begins so.", metavar="PREFIX"),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Check everything, upload and start nothing.")
]
AtOnce = Annotated[
    int | None,
    typer.Option(
        help=f"Masters in flight at once. Default: {LOCAL_AT_ONCE} on this machine, on AWS what "
        "the environment's converters take.",
        min=1,
        max=10_000,
        show_default=False,
    ),
]
Tolerate = Annotated[
    str,
    typer.Option(
        help="Stop when more than this share of all rows is refused, missing or failed.",
        metavar="PERCENT",
    ),
]
ReportPage = Annotated[
    Path | None, typer.Option("--report", help="Write the report as an HTML page.", metavar="FILE")
]
ReportJson = Annotated[
    Path | None, typer.Option("--report-json", help="Write the report as JSON.", metavar="FILE")
]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("migrate")(migrate)


def migrate(
    place: Place = None,
    prefix: Prefix = None,
    dry_run: DryRun = False,
    at_once: AtOnce = None,
    tolerate: Tolerate = "5%",
    report_page: ReportPage = None,
    report_json: ReportJson = None,
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Ingest a whole collection; stopped at any moment, the same command goes on with it.

    Exit code 0: done, no more than tolerated was refused or missing, nothing failed. 1: otherwise;
    of a dry run: something was found. 2: wrong usage, or the service is not running.
    """
    collection = _collection(place, prefix)
    try:
        tolerance = Tolerance(parse_tolerance(tolerate))
    except ValueError:
        stop(f"--tolerate {tolerate} is no percentage from 0 to 100.")
    for path in (report_page, report_json):
        if path and not path.absolute().parent.is_dir():
            stop(f"There is no folder {path.absolute().parent} to write the report into.")
    shown = Shown(quiet=as_json)
    with (
        _usable(),
        connected(environment),
        _plan(collection, environment, dry_run) as plan,
    ):
        services = migration_services(environment)
        with shown:
            resumed = prepare(plan, collection, environment, services, shown.row)
            shown.prepared(plan, resumed)
            if dry_run:
                check(services, plan, shown.checked)
            else:
                _run(services, plan, at_once, tolerance, shown)
        told = report(plan, tolerance, services.region) | {"dry_run": dry_run}
    _tell(told, report_page, report_json, as_json)
    if told["unsuccessful"] if dry_run else not successful(told):
        raise typer.Exit(UNSUCCESSFUL)


def _collection(place: Path | None, prefix: str | None) -> Collection:
    if (place is None) == (prefix is None):
        stop("give a MANIFEST or a FOLDER, or --prefix.")
    if place is not None and not place.exists():
        stop(f"There is no file or folder {place}.")
    return Collection(place=place, prefix=prefix or "")


@contextmanager
def _usable() -> Iterator[None]:
    try:
        yield
    except (MigrationUnusable, OSError) as error:
        stop(str(error))


@contextmanager
def _plan(collection: Collection, environment: str, dry_run: bool) -> Iterator[Plan]:
    """The plan that is kept between runs; of a dry run one that is thrown away."""
    if dry_run:
        with tempfile.TemporaryDirectory() as scratch, Plan(Path(scratch, "plan")) as plan:
            yield plan
        return
    folder = local_directory() / "migrations" / collection.plan_name(environment)
    with only_one(folder), Plan(folder / "plan.sqlite") as plan:
        yield plan


def _run(
    services: MigrationServices,
    plan: Plan,
    at_once: int | None,
    tolerance: Tolerance,
    shown: Shown,
) -> None:
    begun, before = time.monotonic(), float(plan.fact(WORKED) or 0)

    def ended(result: Any) -> None:
        plan.state_fact(WORKED, str(before + time.monotonic() - begun))
        shown.ended(result)

    if services.map_runs:
        done = CloudDriver(
            services=services,
            map_runs=services.map_runs,
            plan=plan,
            at_once=at_once or 0,
            tolerance=tolerance,
            on_bytes=shown.sent,
            on_end=shown.ended,
            on_progress=shown.map_progress,
        ).run()
        plan.state_fact(WORKED, str(before + time.monotonic() - begun))
    else:
        done = Driver(
            services=services,
            plan=plan,
            at_once=at_once or LOCAL_AT_ONCE,
            tolerance=tolerance,
            on_bytes=shown.sent,
            on_end=ended,
        ).run()
    if done:
        plan.state_fact(ENDED, now())


def _tell(
    told: dict[str, Any], report_page: Path | None, report_json: Path | None, as_json: bool
) -> None:
    text = json.dumps(told, indent=2, ensure_ascii=False)
    if report_json:
        report_json.write_text(text + "\n", encoding="utf-8")
    if report_page:
        report_page.write_text(page(told), encoding="utf-8")
    print(text if as_json else "\n".join(lines(told)))
