"""`vitrine-loadtest study publishing`: what publishing the objects of a table takes."""

from typing import Annotated

import typer

from loadtest.cli.options import RESULTS, Name, Results, Rounds, Tree
from loadtest.cli.study_run import Figures, Watch, print_progress, run_study
from vitrine.cli.console.program import AsJson


def publishing(
    objects: Annotated[
        int, typer.Option(min=1, max=5_000, help="Objects of the table, of two images each.")
    ] = 60,
    tree: Tree = None,
    rounds: Rounds = 5,
    results: Results = RESULTS,
    name: Name = "publishing",
    as_json: AsJson = False,
) -> None:
    """Measure the CPU and requests of publishing objects with pages, manifests and search.

    Exit code 0: measured. 1: it was interrupted (what was measured is kept and marked). 2: nothing
    was measured.
    """
    from loadtest.studies.publishing.publishing_study import (
        REPORT,
        PublishingStudy,
        compare_publishing,
    )

    def measure(watch: Watch) -> Figures:
        study = PublishingStudy(objects=objects, rounds=rounds, tree=tree)
        return compare_publishing(study, print_progress, watch)

    run_study(REPORT, measure, lambda run: True, results, name, as_json)
