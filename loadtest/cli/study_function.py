"""`vitrine-loadtest study function`: what the Lambda of the flavour `serverless` takes."""

from pathlib import Path
from typing import Annotated

import typer

from loadtest.cli.options import RESULTS, Results, Rounds, Scratch
from vitrine.cli.program import UNSUCCESSFUL, AsJson

SCRATCH = Path(".build/studies")


def function(
    requests: Annotated[
        int, typer.Option(min=1, help="How many of each kind an environment answers.")
    ] = 20,
    rounds: Rounds = 5,
    scratch: Scratch = SCRATCH,
    results: Results = RESULTS,
    as_json: AsJson = False,
) -> None:
    """Measure what the Lambda that serves images takes to start and for each kind of request.

    CPU, time and memory of gateway and iipsrv, fed by a Runtime API of this machine. Needs no
    service. Exit code 0: every answer was right, and the memory suffices. 1: some were not, it does
    not suffice, or it failed.
    """
    from loadtest.cli.raw_run import measure_or_exit, print_progress, save_and_print
    from loadtest.studies.function_cost.function_cost_report import has_room, table
    from loadtest.studies.function_cost.function_cost_study import (
        FunctionCostStudy,
        measure_function_cost,
    )

    study = FunctionCostStudy(rounds=rounds, requests=requests, scratch=scratch)
    figures = measure_or_exit(lambda: measure_function_cost(study, print_progress))
    save_and_print("function", figures, results, as_json, table(figures))
    if not has_room(figures):
        raise typer.Exit(UNSUCCESSFUL)
