"""`vitrine-loadtest study ingest`: images an hour, and how much of the time is conversion."""

from pathlib import Path
from typing import Annotated

import typer

from vitrine.cli.program import UNSUCCESSFUL, AsJson

SCRATCH = Path(".build/ingest")


def ingest(
    rounds: Annotated[int, typer.Option(min=1, max=50, help="How often to measure.")] = 5,
    copies: Annotated[int, typer.Option(min=1, help="Uploads of each master, a round.")] = 2,
    scratch: Annotated[Path, typer.Option(help="Folder for masters and the service.")] = SCRATCH,
    results: Annotated[Path, typer.Option(help="Folder for raw results.")] = Path("results"),
    as_json: AsJson = False,
) -> None:
    """Ingest photographs by S3 upload until published, on a service of its own.

    Exit code 0: the figures that were asked for are met. 1: one is not, or it failed.
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
