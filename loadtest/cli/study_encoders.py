"""`vitrine-loadtest study encoders`: our recipe of access masters against other encoders."""

from pathlib import Path
from typing import Annotated, Any

import typer

from loadtest.cli.options import RESULTS, Results, Rounds, Scratch
from loadtest.cli.raw_run import (
    dated_folder,
    measure_or_exit,
    print_progress,
    save_and_print,
)
from vitrine.cli.console.program import AsJson

SCRATCH = Path(".build/encode")


def encoders(
    sizes: Annotated[
        str, typer.Option(help="Sizes of images in megapixels, from 10, 100, 400 and 1000.")
    ] = "10,100",
    rounds: Rounds = 5,
    scratch: Scratch = SCRATCH,
    results: Results = RESULTS,
    as_json: AsJson = False,
) -> None:
    """Compare our recipe with every encoder installed: speed, size, fidelity.

    Needs no service. Exit code 0: measured. 1: it failed.
    """
    from loadtest.studies.encoders.encoders_report import format_table, speed_chart
    from loadtest.studies.encoders.encoders_study import measure_encode

    megapixels = [int(size) for size in sizes.split(",")]

    def measure() -> dict[str, Any]:
        folder = dated_folder("encode", results)
        return measure_encode(megapixels, rounds, scratch, folder, print_progress)

    figures = measure_or_exit(measure)
    folder = dated_folder("encode", results)
    (folder / "table.md").write_text(format_table(figures))
    (folder / "speed.svg").write_text(speed_chart(figures))
    save_and_print("encode", figures, results, as_json, format_table(figures))
