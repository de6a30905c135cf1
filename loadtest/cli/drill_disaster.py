"""`vitrine-loadtest drill disaster`: a table, a bucket, an environment are lost and come back."""

from pathlib import Path
from typing import Annotated

import typer

from loadtest.cli.options import RESULTS, Results
from vitrine.cli.console.printing import print_message
from vitrine.cli.console.program import UNSUCCESSFUL, AsJson

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
    from loadtest.cli.raw_run import dated_folder, measure_or_exit, print_progress, save_and_print
    from loadtest.drills.disaster.disaster_drill import broken_promises, run_drill
    from loadtest.drills.disaster.disaster_report import format_table

    figures = measure_or_exit(lambda: run_drill(masters, scratch, print_progress))
    (dated_folder("disaster", results) / "table.md").write_text(format_table(figures))
    save_and_print("disaster", figures, results, as_json, format_table(figures))
    for sentence in broken_promises(figures):
        print_message(sentence)
    if broken_promises(figures):
        raise typer.Exit(UNSUCCESSFUL)
