"""The command `vitrine-loadtest`: load tests, studies and drills."""

import typer

from loadtest.cli.clean_tree import new_measuring_program, run_measuring_program
from loadtest.cli.drill_disaster import disaster
from loadtest.cli.drill_ingest import ingest as drill_ingest
from loadtest.cli.drill_restarts import restarts
from loadtest.cli.drill_swarm import swarm
from loadtest.cli.drill_wrong_bytes import wrong_bytes
from loadtest.cli.load_test import record, run, show
from loadtest.cli.local_caches import clear_caches
from loadtest.cli.study_answers import answers
from loadtest.cli.study_book import book
from loadtest.cli.study_cache import cache_percent_study
from loadtest.cli.study_encoders import encoders
from loadtest.cli.study_formats import formats
from loadtest.cli.study_memory import memory
from loadtest.cli.study_museum import museum
from loadtest.cli.study_photo_door import photo_door
from loadtest.cli.study_publishing import publishing
from loadtest.cli.study_search_forms import search_forms
from loadtest.cli.study_workers import workers
from vitrine.cli.console.program import new_group

HELP = "Send an image server realistic requests, and check every answer."


def build_app() -> typer.Typer:
    """Return the application with every command."""
    app = new_measuring_program("vitrine-loadtest", HELP)
    app.command("run")(run)
    app.command("show")(show)
    app.command("record")(record)
    app.add_typer(_study_group(), name="study")
    app.add_typer(_drill_group(), name="drill")
    app.command("clear-caches")(clear_caches)
    return app


def main() -> None:
    """Run the script `vitrine-loadtest`."""
    run_measuring_program(build_app())


def _study_group() -> typer.Typer:
    group = new_group("Repeat a published study, or measure one part of the service.")
    group.command("museum")(museum)
    group.command("cache-percent")(cache_percent_study)
    group.command("workers")(workers)
    group.command("photo-door")(photo_door)
    group.command("formats")(formats)
    group.command("answers")(answers)
    group.command("encoders")(encoders)
    group.command("publishing")(publishing)
    group.command("memory")(memory)
    group.command("search-forms")(search_forms)
    group.command("book")(book)
    return group


def _drill_group() -> typer.Typer:
    group = new_group("Break something on purpose, and check that nothing is lost or wrong.")
    group.command("ingest")(drill_ingest)
    group.command("restarts")(restarts)
    group.command("wrong-bytes")(wrong_bytes)
    group.command("swarm")(swarm)
    group.command("disaster")(disaster)
    return group
