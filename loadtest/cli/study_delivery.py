"""`vitrine-loadtest study delivery`: our image task against plain nginx, iipsrv and files."""

from pathlib import Path
from typing import Annotated

import typer

from loadtest.cli.options import RESULTS, RequestLists, Results, Rounds, Scratch
from loadtest.cli.raw_run import (
    dated_folder,
    measure_or_exit,
    print_progress,
    save_and_print,
)
from vitrine.cli.program import UNSUCCESSFUL, AsJson

SCRATCH = Path(".build/deliver")


def delivery(
    scenario: Annotated[
        list[str] | None,
        typer.Option(help="Run only this scenario. May be repeated.", show_default="all"),
    ] = None,
    rounds: Rounds = 5,
    request_lists: RequestLists = None,
    scratch: Scratch = SCRATCH,
    results: Results = RESULTS,
    as_json: AsJson = False,
) -> None:
    """Compare our image task with plain nginx and iipsrv, and with files: CPU per answer.

    Needs no service. Exit code 0: measured. 1: a scenario failed.
    """
    from loadtest.studies.delivery.delivery_report import chart, table
    from loadtest.studies.delivery.delivery_study import measure_deliver

    figures = measure_or_exit(
        lambda: measure_deliver(scenario or [], rounds, scratch, request_lists, print_progress)
    )
    folder = dated_folder("deliver", results)
    (folder / "table.md").write_text(table(figures))
    if drawn := chart(figures):
        (folder / "cpu.svg").write_text(drawn)
    save_and_print("deliver", figures, results, as_json, table(figures))
    if any("error" in scenario for scenario in figures["scenarios"].values()):
        raise typer.Exit(UNSUCCESSFUL)
