"""`vitrine-loadtest study generator`: how much load our own generators can produce."""

from typing import Annotated

import typer

from loadtest.cli.options import RESULTS, Name, Results, Rounds, Seed
from loadtest.cli.study_run import Report, run_study
from vitrine.cli.program import AsJson


def generator(
    generators: Annotated[
        str, typer.Option(help="The generators to measure, from bench and locust.")
    ] = "bench,locust",
    users: Annotated[int, typer.Option(min=1, help="How many users at once.")] = 10,
    seconds: Annotated[float, typer.Option(min=1, help="Length of each round, in seconds.")] = 10,
    rounds: Rounds = 5,
    seed: Seed = 2019,
    results: Results = RESULTS,
    name: Name = "generator",
    as_json: AsJson = False,
) -> None:
    """Measure our load generators against a server that does next to nothing.

    The result is requests per second and core.

    Exit code 0: all answers were right. 1: some were not, or it was interrupted (what was
    measured is kept and marked). 2: nothing was measured.
    """
    from loadtest.studies.generator.generator_report import html, text, write_csv
    from loadtest.studies.generator.generator_study import GeneratorStudy, measure_generators

    names = [word.strip() for word in generators.split(",") if word.strip()]
    study = GeneratorStudy(generators=names, users=users, seconds=seconds, rounds=rounds, seed=seed)
    report = Report(
        bench="generator",
        text=text,
        html=html,
        write_tables=lambda figures, folder: write_csv(figures, folder / "rows.csv"),
        all_right=lambda figures: not any(row["failures"] for row in figures["rounds"]),
    )
    run_study(report, lambda watch: measure_generators(study, watch), results, name, as_json)
