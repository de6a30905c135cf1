"""`vitrine reconcile`: compare what lies in the buckets with what is recorded, and catch up."""

import json
import time
from datetime import UTC, datetime
from typing import Annotated

import typer

from vitrine.bootstrap.deployed_services import deployed_reconcile_services
from vitrine.cli.environment import DEFAULT, AsJson, Environment, connected
from vitrine.ingest.repair.reconciler import walk_through

PAUSE_SECONDS = 60
SENTENCES = {
    "masters": "masters looked at",
    "started": "started for the first time",
    "restarted": "started again: their ingest never ended, or they are back",
    "queued": "put into the queue, since enough is running",
    "rejected": "rejected",
    "withdrawing": "deleted, and to be withdrawn after the grace period",
    "access_masters": "access masters looked at",
    "superseded": "superseded, and tagged to expire",
    "kept": "live though tagged; the tag was taken off",
}
"""What each count means."""

DryRun = Annotated[bool, typer.Option("--dry-run", help="Count what would be done, do nothing.")]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("reconcile")(reconcile_everything)


def reconcile_everything(
    environment: Environment = DEFAULT, dry_run: DryRun = False, as_json: AsJson = False
) -> None:
    """Start what no event started, withdraw what was deleted, let superseded files expire.

    May be stopped at any time. Exit code 0: done. 2: the service is not running.
    """
    with connected(environment):
        services = deployed_reconcile_services(environment)
        rules = services.rules(datetime.now(UTC), dry_run=dry_run)
        counts = walk_through(services, rules, wait=_pause)
    if as_json:
        print(json.dumps(counts, indent=2))
        return
    for name, sentence in SENTENCES.items():
        print(f"{counts[name]:>12,} {sentence}")


def _pause() -> bool:
    time.sleep(PAUSE_SECONDS)
    return True
