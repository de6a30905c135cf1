"""`vitrine-loadtest study search-forms`: the search by titles as files, and as a segment."""

from typing import Annotated

import typer

from loadtest.cli.options import RESULTS, Name, Results
from loadtest.cli.study_run import Figures, Watch, print_progress, run_study
from vitrine.cli.console.program import AsJson


def search_forms(
    objects: Annotated[
        int, typer.Option(min=200, max=1_000_000, help="How many objects are made up.")
    ] = 100_000,
    results: Results = RESULTS,
    name: Name = "search-forms",
    as_json: AsJson = False,
) -> None:
    """Compare both forms of search index for titles: bytes, CPU, requests, dollars of a query.

    Exit code 0: measured. 2: nothing was measured.
    """
    from loadtest.studies.search_forms.search_forms_study import (
        REPORT,
        SearchFormsStudy,
        compare_forms,
    )

    def measure(watch: Watch) -> Figures:
        return compare_forms(SearchFormsStudy(objects=objects), print_progress)

    run_study(REPORT, measure, lambda run: True, results, name, as_json)
