"""`vitrine masters`: bring a whole collection in, and compare the buckets with the records."""

import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated

import typer

from vitrine.bootstrap.deployed_services import deployed_reconcile_services
from vitrine.cli.console.environment import DEFAULT, Environment, connected
from vitrine.cli.console.printing import print_json, print_lines
from vitrine.cli.console.program import AsJson, new_group
from vitrine.cli.masters.curate import delete, dismiss
from vitrine.cli.masters.migrate import migrate
from vitrine.costs.ingest_work import charges, image_work, measured_image
from vitrine.ingest.repair.reconciler import walk_through

PAUSE_SECONDS = 60
PRICED_REGION = "us-east-1"
SENTENCES = {
    "masters": "masters compared",
    "started": "ingests started for the first time",
    "restarted": "ingests started again: they never ended, or master or access master was lost",
    "renewed": "masters converted again: their access master was of another recipe",
    "queued": "masters put into the queue, since enough ingests are running",
    "rejected": "masters rejected",
    "withdrawing": "masters deleted; their images are withdrawn after the grace period",
    "access_masters": "access masters compared",
    "superseded": "access masters superseded, and tagged to expire",
    "kept": "live access masters were tagged to expire; the tag was removed",
}
"""Meaning of each count."""

DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Count what would be done, but do nothing.")
]


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = new_group("Ingest millions of masters, or delete masters.")
    group.command("migrate")(migrate)
    group.command("reconcile")(reconcile)
    group.command("dismiss")(dismiss)
    group.command("delete")(delete)
    app.add_typer(group, name="masters")


def reconcile(
    missing_too: Annotated[
        bool,
        typer.Option(
            "--missing-access-masters",
            help="Also ask for the access master of every image, and convert again those that are "
            "gone, as after a loss of their bucket.",
        ),
    ] = False,
    recipe_too: Annotated[
        bool,
        typer.Option(
            "--other-recipes",
            help="Also convert again the masters whose access master is not of the environment's "
            "recipe. Their images stay on the web meanwhile.",
        ),
    ] = False,
    environment: Environment = DEFAULT,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Compare all masters with their records: start lost ingests, withdraw what was deleted.

    The service does this by itself every few hours. Superseded access masters are tagged to
    expire. It may be stopped at any time.

    Exit code 0: done. 2: the service is not running.
    """
    with connected(environment):
        services = deployed_reconcile_services(environment)
        rules = services.rules(datetime.now(UTC), dry_run=dry_run)
        rules = replace(
            rules, asks_for_access_masters=missing_too, renews_access_masters=recipe_too
        )
        counts = walk_through(services, rules, wait=_pause)
    if as_json:
        print_json(counts)
        return
    print_lines(f"{counts[name]:>12,} {sentence}" for name, sentence in SENTENCES.items())
    if dry_run and counts["renewed"]:
        print_lines([_name_price(counts["renewed"])])


def _name_price(images: int) -> str:
    measured = measured_image()
    mean = image_work(
        megapixels=measured.megapixels,
        master_bytes=measured.master_bytes,
        access_master_bytes=measured.access_master_bytes,
    )
    dollars = images * sum(charge.usd(PRICED_REGION) for charge in charges(mean))
    return (
        f"To convert {images:,} again costs about ${dollars:,.2f} if they are like the mean image "
        f"of the ingest benchmark ({PRICED_REGION})."
    )


def _pause() -> bool:
    time.sleep(PAUSE_SECONDS)
    return True
