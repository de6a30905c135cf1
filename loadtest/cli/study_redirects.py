"""`vitrine-loadtest study redirects` and `redirect-import`: what redirects cost."""

from typing import Annotated

import typer

from loadtest.cli.options import RESULTS, Results, Rounds
from vitrine.cli.environment import DEFAULT, Environment, connected
from vitrine.cli.program import UNSUCCESSFUL, AsJson


def redirects(
    rounds: Rounds = 5,
    results: Results = RESULTS,
    as_json: AsJson = False,
) -> None:
    """Measure the CPU time that our image task takes for a redirect and for a tombstone.

    Needs no service. Exit code 0: a redirect costs no more than promised. 1: it does, or it failed.
    """
    from loadtest.cli.raw_run import measure_or_exit, print_progress, save_and_print
    from loadtest.studies.redirects.redirect_cpu import measure_decisions

    figures = measure_or_exit(lambda: measure_decisions(rounds, print_progress))
    text = "\n".join(f"{name:28} {value}" for name, value in figures.items() if name != "rows")
    save_and_print("redirects", figures, results, as_json, text)
    if not figures["met"]:
        raise typer.Exit(UNSUCCESSFUL)


def redirect_import(
    rows: Annotated[int, typer.Option(min=1, help="How many redirects to import.")] = 100_000,
    environment: Environment = DEFAULT,
    results: Results = RESULTS,
    as_json: AsJson = False,
) -> None:
    """Import redirects into the running service twice, and measure both. They stay there.

    Exit code 0: measured. 1: it failed. 2: the service is not running.
    """
    from loadtest.cli.raw_run import measure_or_exit, print_progress, save_and_print
    from loadtest.studies.redirects.redirect_import_run import measure_import

    with connected(environment) as service:
        figures = measure_or_exit(lambda: measure_import(service, rows, print_progress))
    save_and_print("redirect-import", figures, results, as_json)
