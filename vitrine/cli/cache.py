"""`vitrine cache clear`: what a measurement wants gone before it begins."""

import typer

from vitrine.cli.environment import stop
from vitrine.local.caches import clear_derivatives, clear_edge
from vitrine.local.state import LocalService, local_directory

HELP = "The caches of the service on this machine."


def register(app: typer.Typer) -> None:
    """Add the verb group."""
    group = typer.Typer(name="cache", help=HELP, no_args_is_help=True)
    # With a single command, typer would make the group that command.
    group.callback(help=HELP)(lambda: None)
    group.command("clear")(clear)
    app.add_typer(group)


def clear() -> None:
    """Empty the edge's cache and that of derivatives, while the service runs.

    Blocks of access masters stay: the gateway holds their files open, and `make down` and
    `make up` begin without them. On AWS, `vitrine invalidate --all -e NAME` does what can be done.
    """
    directory = local_directory()
    if LocalService.load(directory) is None:
        stop("The service is not running: start it with `make up`.")
    print(f"Edge         {clear_edge(directory):,} answers removed")
    print(f"Derivatives  {clear_derivatives(directory):,} removed")
    print("Blocks of access masters stay while the gateway runs: `make down`, then `make up`.")
