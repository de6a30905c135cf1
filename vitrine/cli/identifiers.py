"""`vitrine identifiers`: bring the table of identifiers back from its journal."""

from typing import Annotated

import typer

from vitrine.cli.console.environment import DEFAULT, Environment, connected
from vitrine.cli.console.printing import print_json, print_lines, show_count
from vitrine.cli.console.program import AsJson, new_group
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
    compared = 0
    with connected(environment) as service, show_count("identifiers compared") as show:

        def count(identifiers: int) -> None:
            nonlocal compared
            compared += identifiers
            show(compared)

        counts = rebuild_table(
            service.identifiers,
            service.records,
            dry_run=dry_run,
            on_progress=count,
        )
    if as_json:
        print_json(counts)
        return
    print_lines(
        [
            f"{counts['identifiers']:>12,} identifiers in the journal",
            f"{counts['written']:>12,} {'would be' if dry_run else 'were'} written to the table",
            f"{counts['stood']:>12,} were in the table already",
        ]
    )
