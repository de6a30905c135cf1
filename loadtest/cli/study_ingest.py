"""`vitrine-loadtest study ingest`: images an hour, and how much of the time is conversion."""

from pathlib import Path
from typing import Annotated

import typer

from loadtest.cli.options import RESULTS, Results, Rounds, Scratch
from vitrine.cli.program import UNSUCCESSFUL, AsJson

SCRATCH = Path(".build/ingest")


def ingest(
    rounds: Rounds = 5,
    copies: Annotated[
        int, typer.Option(min=1, help="How many times to upload each master in a round.")
    ] = 2,
    scratch: Scratch = SCRATCH,
    results: Results = RESULTS,
    as_json: AsJson = False,
) -> None:
    """Upload photographs to a service of its own, and measure the time until they are published.

    Exit code 0: the promised figures are met. 1: one is not, or it failed.
    """
    from loadtest.cli.raw_run import dated_folder, measure_or_exit, print_progress, save_and_print
    from loadtest.studies.ingest.ingest_figures import goals
    from loadtest.studies.ingest.ingest_report import table
    from loadtest.studies.ingest.ingest_study import measure_ingest

    figures = measure_or_exit(lambda: measure_ingest(rounds, copies, scratch, print_progress))
    (dated_folder("ingest", results) / "table.md").write_text(table(figures))
    save_and_print("ingest", figures, results, as_json, table(figures))
    if not all(goal.met in (True, None) for goal in goals(figures)):
        raise typer.Exit(UNSUCCESSFUL)
