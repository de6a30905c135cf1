"""`vitrine-loadtest drill disaster`: a table, a bucket, an environment are lost and come back."""

from pathlib import Path
from typing import Annotated

import typer

from loadtest.cli.options import RESULTS, Results
from loadtest.cli.study_run import fresh_folder, print_progress, run_drill
from vitrine.cli.console.program import AsJson

SCRATCH = Path(".build/disaster")


def disaster(
    masters: Annotated[int, typer.Option(min=20, help="How many masters to ingest.")] = 200,
    scratch: Annotated[Path, typer.Option(help="Folder for the drill's own services.")] = SCRATCH,
    results: Results = RESULTS,
    as_json: AsJson = False,
) -> None:
    """Lose the identifiers, the access masters and the environment, and recover each.

    Exit code 0: every item came back as it was. 1: some did not, or the drill failed.
    """
    from loadtest.drills.disaster.disaster_drill import broken_promises, measure_losses
    from loadtest.drills.disaster.disaster_report import REPORT

    run_drill(
        REPORT,
        lambda: measure_losses(masters, scratch, print_progress),
        broken_promises,
        fresh_folder(results, "disaster"),
        as_json,
    )
