"""The command `vitrine-loadtest`: load tests, studies and drills."""

import typer

from loadtest.cli import drills
from loadtest.cli.clean_tree import new_measuring_program
from loadtest.cli.compare import compare
from loadtest.cli.drill_ingest import drill
from loadtest.cli.load_test import record, run, show
from loadtest.cli.local_caches import clear
from loadtest.cli.study_cache import cache
from loadtest.cli.study_cold_reads import cold_reads
from loadtest.cli.study_delivery import delivery
from loadtest.cli.study_edge import edge
from loadtest.cli.study_encoders import encoders
from loadtest.cli.study_formats import formats
from loadtest.cli.study_generator import generator
from loadtest.cli.study_ingest import ingest
from loadtest.cli.study_museum import report
from loadtest.cli.study_photos import photos
from loadtest.cli.study_redirects import redirect_import, redirects
from loadtest.cli.study_workers import workers
from vitrine.cli.program import run_program

HELP = "Ask an image server for what a scenario says, check every answer, and weigh the result."


def build_app() -> typer.Typer:
    """Return the application with every command."""
    app = new_measuring_program("vitrine-loadtest", HELP)
    app.command("run")(run)
    app.command("show")(show)
    app.command("record")(record)
    app.add_typer(_studies())
    app.add_typer(_drills())
    app.command("compare")(compare)
    app.command("clear-caches")(clear)
    return app


def main() -> None:
    """Run the script `vitrine-loadtest`."""
    run_program(build_app())


def _studies() -> typer.Typer:
    group = typer.Typer(
        name="study", help="Repeat a published study, or measure a part.", no_args_is_help=True
    )
    group.command("museum")(report)
    group.command("cache-percent")(cache)
    group.command("workers")(workers)
    group.command("photos")(photos)
    group.command("formats")(formats)
    group.command("delivery")(delivery)
    group.command("edge")(edge)
    group.command("ingest")(ingest)
    group.command("cold-reads")(cold_reads)
    group.command("encoders")(encoders)
    group.command("generator")(generator)
    group.command("redirects")(redirects)
    group.command("redirect-import")(redirect_import)
    return group


def _drills() -> typer.Typer:
    group = typer.Typer(
        name="drill",
        help="Break something on purpose, and see that nothing is lost or wrong.",
        no_args_is_help=True,
    )
    group.command("ingest")(drill)
    group.command("corruption")(drills.corruption)
    group.command("bombs")(drills.bombs)
    group.command("conversions")(drills.conversions)
    group.command("cold-clients")(drills.cold_clients)
    group.command("zoomable")(drills.zoomable)
    return group
