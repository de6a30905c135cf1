"""`vitrine-loadtest study delivery`."""

from pathlib import Path
from typing import Annotated

import typer

from loadtest.cli.raw_run import (
    RESULTS,
    Results,
    Rounds,
    dated_folder,
    measure_or_exit,
    print_progress,
    save_and_print,
)
from vitrine.cli.program import UNSUCCESSFUL, AsJson

SCRATCH = Path(".build/deliver")


def delivery(
    scenario: Annotated[
        list[str] | None, typer.Option(help="Only this one; may be repeated. Default: all.")
    ] = None,
    rounds: Rounds = 5,
    request_lists: Annotated[
        Path | None, typer.Option(help="Folder of the published Universal Viewer requests.")
    ] = None,
    scratch: Annotated[Path, typer.Option(help="Folder for access masters.")] = SCRATCH,
    results: Results = RESULTS,
    as_json: AsJson = False,
) -> None:
    """Compare our image task with plain nginx and iipsrv, and with files. Needs no service."""
    from loadtest.studies.delivery.delivery_report import chart, table
    from loadtest.studies.delivery.delivery_study import measure_deliver

    figures = measure_or_exit(
        lambda: measure_deliver(scenario or [], rounds, scratch, request_lists, print_progress)
    )
    folder = dated_folder("deliver", results)
    (folder / "table.md").write_text(table(figures))
    chart(figures, folder / "cpu.svg")
    save_and_print("deliver", figures, results, as_json, table(figures))
    if any("error" in scenario for scenario in figures["scenarios"].values()):
        raise typer.Exit(UNSUCCESSFUL)
