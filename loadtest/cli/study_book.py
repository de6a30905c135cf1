"""`vitrine-loadtest study book`: what a whole book as PDF takes."""

from pathlib import Path
from typing import Annotated

import typer

from loadtest.cli.options import RESULTS, Name, Results, Rounds, Scratch
from loadtest.cli.study_run import Figures, Watch, print_progress, run_study
from vitrine.cli.console.program import AsJson

SCRATCH = Path(".build/studies")


def book(
    pages: Annotated[int, typer.Option(min=1, max=2_000, help="Pages of the book.")] = 300,
    rounds: Rounds = 3,
    scratch: Scratch = SCRATCH,
    results: Results = RESULTS,
    name: Name = "book",
    as_json: AsJson = False,
) -> None:
    """Measure a whole book as PDF: CPU, memory and bytes, next to img2pdf and ocrmypdf.

    These two are measured if they are installed. Exit code 0: measured. 1: it was interrupted
    (what was measured is kept and marked). 2: nothing was measured.
    """
    from loadtest.studies.book.book_study import REPORT, BookStudy, compare_books

    def measure(watch: Watch) -> Figures:
        study = BookStudy(pages=pages, rounds=rounds, scratch=scratch)
        return compare_books(study, print_progress, watch)

    run_study(REPORT, measure, lambda run: True, results, name, as_json)
