"""`vitrine-loadtest compare`: saved runs side by side."""

import json
from pathlib import Path
from typing import Annotated

import typer

from loadtest.cli.options import RESULTS, Name
from loadtest.cli.study_run import fresh_folder
from loadtest.errors import InvalidScenario
from vitrine.cli.console.program import AsJson, stop


def compare(
    runs: Annotated[
        list[Path],
        typer.Argument(help="The runs: their folders, or their run.json files.", metavar="RUN"),
    ],
    results: Annotated[Path, typer.Option(help="Folder for the report.")] = RESULTS,
    name: Name = "compare",
    as_json: AsJson = False,
) -> None:
    """Compare two or more saved runs of one study, with ratios to the first.

    Exit code 0: compared. 2: a run cannot be read, or they are of different studies.
    """
    from loadtest.report.machine import describe_machine
    from loadtest.studies.compare.compare_report import format_page, format_text, write_csv
    from loadtest.studies.compare.compare_runs import compare_runs

    try:
        compared = compare_runs(runs)
    except InvalidScenario as error:
        stop(str(error))
    folder = fresh_folder(results, name)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "index.html").write_text(format_page(compared, describe_machine()))
    (folder / "compared.json").write_text(json.dumps(compared, indent=2) + "\n")
    write_csv(compared, folder / "rows.csv")
    print(
        json.dumps(compared, indent=2)
        if as_json
        else f"{format_text(compared)}\n\n{folder}/index.html"
    )
