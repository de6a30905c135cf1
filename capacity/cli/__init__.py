"""The command `vitrine-capacity`: plan a service, and validate the simulator behind the plan."""

import typer

from capacity.cli import validate
from capacity.cli.plan import plan
from loadtest.cli.clean_tree import new_measuring_program, run_measuring_program
from vitrine.cli.console.program import new_group

HELP = "Estimate by simulation what an image service needs and what it costs."


def build_app() -> typer.Typer:
    """Return the application with every command."""
    app = new_measuring_program("vitrine-capacity", HELP)
    app.command("plan")(plan)
    app.add_typer(_validation_group(), name="validate")
    return app


def main() -> None:
    """Run the script `vitrine-capacity`."""
    run_measuring_program(build_app())


def _validation_group() -> typer.Typer:
    group = new_group("Compare the simulator with published studies.")
    group.command("museum")(validate.museum)
    group.command("microscope")(validate.microscope)
    return group
