"""`vitrine identifiers`: bring the table of identifiers back from its journal."""

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from vitrine.cli.environment import DEFAULT, Environment, connected
from vitrine.cli.program import AsJson, new_group
from vitrine.identify.rebuild import rebuild as rebuild_table

DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Count what would be written, but write nothing.")
]


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = new_group("Bring a lost table of identifiers back.")
    group.command("rebuild")(rebuild)
    app.add_typer(group, name="identifiers")


def rebuild(
    environment: Environment = DEFAULT, dry_run: DryRun = False, as_json: AsJson = False
) -> None:
    """Rebuild the table of identifiers from its journal, redirects and tombstones included.

    For a table that was lost or restored to an earlier day. It may be stopped and run again at any
    time, and the service may keep running.

    Exit code 0: done. 2: the service is not running.
    """
    columns = (
        SpinnerColumn(),
        TextColumn("{task.completed:,} identifiers compared"),
        TimeElapsedColumn(),
    )
    console = Console(stderr=True)
    with connected(environment) as service, Progress(*columns, console=console) as bar:
        task = bar.add_task("", total=None)
        counts = rebuild_table(
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
    print(f"{counts['stood']:>12,} were in the table already")
