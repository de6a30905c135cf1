"""`vitrine-loadtest study encoders`: our recipe of access masters against other encoders."""

from pathlib import Path
from typing import Annotated

import typer

from loadtest.cli.options import RESULTS, Name, Results, Rounds, Scratch, Tree
from loadtest.cli.study_run import Figures, Watch, print_progress, run_study
from vitrine.cli.console.program import AsJson

SCRATCH = Path(".build/encode")


def encoders(
    sizes: Annotated[
        str, typer.Option(help="Sizes of images in megapixels, from 1, 10, 100, 400 and 1000.")
    ] = "10,100",
    tree: Tree = None,
    rounds: Rounds = 5,
    scratch: Scratch = SCRATCH,
    results: Results = RESULTS,
    name: Name = "encode",
    as_json: AsJson = False,
) -> None:
    """Compare our recipe with every encoder installed: speed, size, fidelity.

    Needs no service; starts an emulator for what the Lambda ConvertMaster takes. Exit code 0:
    measured. 2: it failed.
    """
    from loadtest.studies.encoders.encoders_report import REPORT
    from loadtest.studies.encoders.encoders_study import measure_encode

    megapixels = [int(size) for size in sizes.split(",")]

    def measure(watch: Watch) -> Figures:
        return measure_encode(megapixels, rounds, scratch, tree, print_progress)

    run_study(REPORT, measure, lambda run: True, results, name, as_json)
