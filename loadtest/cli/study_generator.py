"""`vitrine-loadtest study generator`: what our generators of load sustain by themselves."""

from pathlib import Path
from typing import Annotated

import typer

from loadtest.cli.study_run import Report, run_study
from vitrine.cli.program import AsJson


def generator(
    generators: Annotated[str, typer.Option(help="Of bench, locust.")] = "bench,locust",
    users: Annotated[int, typer.Option(min=1, help="At once.")] = 10,
    seconds: Annotated[float, typer.Option(min=1, help="Of each round.")] = 10,
    rounds: Annotated[int, typer.Option(min=1, max=50, help="For each generator.")] = 5,
    seed: Annotated[int, typer.Option(help="Equal seeds ask for equal things.")] = 2019,
    results: Annotated[Path, typer.Option(help="Folder for raw results.")] = Path("results"),
    name: Annotated[
        str, typer.Option(help="Of the run's folder in it, behind the date.")
    ] = "generator",
    as_json: AsJson = False,
) -> None:
    """Requests a second and core of our generators, against a server that does next to nothing.

    Exit code 0: all answers were right. 1: some were not, or it was interrupted (what was
    measured is kept, and marked). 2: nothing was measured.
    """
    from loadtest.studies.generator.generator_report import html, text, write_csv
    from loadtest.studies.generator.generator_study import Study, measure

    names = [word.strip() for word in generators.split(",") if word.strip()]
    study = Study(generators=names, users=users, seconds=seconds, rounds=rounds, seed=seed)
    told = Report(
        bench="generator",
        text=text,
        html=html,
        write_tables=lambda figures, folder: write_csv(figures, folder / "rows.csv"),
        all_right=lambda figures: not any(row["failures"] for row in figures["rounds"]),
    )
    run_study(told, lambda watch: measure(study, watch), results, name, as_json)
