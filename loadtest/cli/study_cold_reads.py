"""`vitrine-loadtest study cold-reads`: what the first requests for an image read from the store."""

from pathlib import Path
from typing import Annotated

import typer

from loadtest.cli.options import RESULTS, Results, Scratch
from vitrine.cli.printing import print_message
from vitrine.cli.program import UNSUCCESSFUL, AsJson

SCRATCH = Path(".build/encode")


def cold_reads(
    megapixels: Annotated[
        int, typer.Option(help="Size of the image in megapixels: 10, 100, 400 or 1000.")
    ] = 400,
    tiles: Annotated[
        int, typer.Option(min=1, help="How many random tiles to request, each with a cold cache.")
    ] = 200,
    scratch: Scratch = SCRATCH,
    results: Results = RESULTS,
    as_json: AsJson = False,
) -> None:
    """Count what the first requests for a large image read from a slow store.

    Needs no service. Exit code 0: as few as promised. 1: more, or it failed.
    """
    from loadtest.cli.raw_run import dated_folder, measure_or_exit, print_progress, save_and_print
    from loadtest.studies.cold_reads.cold_reads_report import broken, table
    from loadtest.studies.cold_reads.cold_reads_study import measure_cold_reads

    figures = measure_or_exit(
        lambda: measure_cold_reads(megapixels, tiles, scratch, print_progress)
    )
    (dated_folder("cold-reads", results) / "table.md").write_text(table(figures))
    save_and_print("cold-reads", figures, results, as_json, table(figures))
    for sentence in broken(figures):
        print_message(f"A promise is broken: {sentence}")
    if broken(figures):
        raise typer.Exit(UNSUCCESSFUL)
