"""`vitrine rebuild`: bring the table of identifiers back from its journal."""

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from vitrine.cli.environment import DEFAULT, AsJson, Environment, connected
from vitrine.identify.rebuild import rebuild

DryRun = Annotated[bool, typer.Option("--dry-run", help="Count what would be done, do nothing.")]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("rebuild")(rebuild_identifiers)


def rebuild_identifiers(
    environment: Environment = DEFAULT, dry_run: DryRun = False, as_json: AsJson = False
) -> None:
    """Let the table of identifiers say what its journal says, redirects and tombstones included.

    For a table that was lost or put back to an earlier day. May be stopped and run again at any
    time, the service may go on. Exit code 0: done. 2: the service is not running.
    """
    columns = (
        SpinnerColumn(),
        TextColumn("{task.completed:,} identifiers compared"),
        TimeElapsedColumn(),
    )
    console = Console(stderr=True)
    with connected(environment) as service, Progress(*columns, console=console) as bar:
        task = bar.add_task("", total=None)
        counts = rebuild(
            service.identifiers,
            service.records,
            dry_run=dry_run,
            on_progress=lambda identifiers: bar.advance(task, identifiers),
        )
    if as_json:
        print(json.dumps(counts, indent=2))
        return
    print(f"{counts['identifiers']:>12,} identifiers in the journal")
    print(f"{counts['written']:>12,} {'would be' if dry_run else 'were'} written to the table")
    print(f"{counts['stood']:>12,} stood there already")
