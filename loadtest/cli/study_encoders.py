"""`vitrine-loadtest study encoders`."""

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
from vitrine.cli.program import AsJson

SCRATCH = Path(".build/encode")


def encoders(
    sizes: Annotated[str, typer.Option(help="Megapixels: of 10, 100, 400, 1000.")] = "10,100",
    rounds: Rounds = 5,
    scratch: Annotated[Path, typer.Option(help="Folder for masters and results.")] = SCRATCH,
    results: Results = RESULTS,
    as_json: AsJson = False,
) -> None:
    """Compare our recipe with every encoder installed: speed, size, fidelity. No service."""
    from loadtest.studies.encoders.encoders_report import chart, table
    from loadtest.studies.encoders.encoders_study import measure_encode

    folder = dated_folder("encode", results)
    wanted = [int(size) for size in sizes.split(",")]
    figures = measure_or_exit(
        lambda: measure_encode(wanted, rounds, scratch, folder, print_progress)
    )
    (folder / "table.md").write_text(table(figures))
    chart(figures, folder / "speed.svg")
    save_and_print("encode", figures, results, as_json, table(figures))
