"""`vitrine-loadtest drill wrong-bytes`: no answer holds bytes that were not written."""

from pathlib import Path
from typing import Annotated

import typer

from loadtest.cli.options import RESULTS, Results
from loadtest.cli.study_run import fresh_folder, print_progress, run_drill
from vitrine.cli.console.program import AsJson

SCRATCH = Path(".build/studies")


def wrong_bytes(
    rounds: Annotated[
        int, typer.Option(min=1, help="How often each part requests all addresses.")
    ] = 20,
    clients: Annotated[int, typer.Option(min=1, max=200, help="How many clients at once.")] = 4,
    scratch: Annotated[Path, typer.Option(help="Folder for the picture.")] = SCRATCH,
    results: Results = RESULTS,
    as_json: AsJson = False,
) -> None:
    """Change what the store sends and what the disk keeps, under load, and check every answer.

    Needs no service. Exit code 0: no byte was wrong and no request failed, though some may have
    been refused. 1: a byte was wrong, a request failed, or the drill did.
    """
    from loadtest.drills.wrong_bytes import REPORT, broken_promises, measure_wrong_bytes

    run_drill(
        REPORT,
        lambda: measure_wrong_bytes(rounds, clients, scratch, print_progress),
        broken_promises,
        fresh_folder(results, "wrong-bytes"),
        as_json,
    )
