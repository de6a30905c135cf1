"""`vitrine-loadtest drill restarts`: restarts and deployments under load cost no request."""

from pathlib import Path
from typing import Annotated

import typer

from loadtest.cli.options import RESULTS, Results
from loadtest.cli.study_run import fresh_folder, print_progress, run_drill
from vitrine.cli.console.program import AsJson

SCRATCH = Path(".build/studies")


def restarts(
    minutes: Annotated[float, typer.Option(min=0.1, help="How long the load lasts.")] = 30.0,
    every: Annotated[
        float, typer.Option(min=1.0, help="Seconds from one restart to the next.")
    ] = 120.0,
    clients: Annotated[int, typer.Option(min=1, max=200, help="How many clients at once.")] = 4,
    think: Annotated[
        float, typer.Option(min=0.0, help="Seconds that a client pauses after each answer.")
    ] = 0.02,
    seed: Annotated[int, typer.Option(help="Random seed of the requests and the kills.")] = 1,
    emulator: Annotated[
        bool,
        typer.Option(
            "--emulator/--folder",
            help="Have the tasks read from an emulator, and restart it once, or from a folder.",
        ),
    ] = True,
    scratch: Annotated[Path, typer.Option(help="Folder for the picture.")] = SCRATCH,
    results: Results = RESULTS,
    as_json: AsJson = False,
) -> None:
    """Replace, interrupt and kill parts of two image tasks under load, and check every answer.

    Needs no service: it starts what it needs. Exit code 0: no request failed, no byte was wrong,
    nothing grew. 1: something did, or the drill failed.
    """
    from loadtest.drills.restarts.restart_drill import (
        RestartOptions,
        broken_promises,
        measure_restarts,
    )
    from loadtest.drills.restarts.restart_report import REPORT

    orders = RestartOptions(
        seconds=60 * minutes,
        every_seconds=every,
        clients=clients,
        think_seconds=think,
        seed=seed,
        emulator=emulator,
    )
    run_drill(
        REPORT,
        lambda: measure_restarts(orders, scratch, print_progress),
        broken_promises,
        fresh_folder(results, "restarts"),
        as_json,
    )
