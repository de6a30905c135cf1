"""`vitrine-loadtest study memory`: what the image task holds in memory."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from loadtest.cli.options import RESULTS, Name, Results, Rounds, Scratch, Tree
from loadtest.cli.study_run import Figures, Watch, print_progress, run_study
from vitrine.cli.console.program import AsJson

SCRATCH = Path(".build/studies")


def memory(
    tree: Tree = None,
    python: Annotated[
        Path,
        typer.Option(
            exists=True,
            dir_okay=False,
            show_default="this one",
            help="Python that runs the gateway, in an environment with the image's packages.",
        ),
    ] = Path(sys.executable),
    rounds: Rounds = 5,
    scratch: Scratch = SCRATCH,
    results: Results = RESULTS,
    name: Name = "memory",
    as_json: AsJson = False,
) -> None:
    """Measure the memory of the image task's containers, at rest and after they served.

    Exit code 0: measured. 1: it was interrupted (what was measured is kept and marked). 2: nothing
    was measured.
    """
    from loadtest.studies.memory.memory_study import REPORT, MemoryStudy, compare_memory

    def measure(watch: Watch) -> Figures:
        study = MemoryStudy(rounds=rounds, tree=tree, python=python, scratch=scratch)
        return compare_memory(study, print_progress, watch)

    run_study(REPORT, measure, lambda run: True, results, name, as_json)
