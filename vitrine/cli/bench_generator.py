"""`vitrine bench generator`: what our generators of load sustain by themselves."""

import json
from pathlib import Path
from typing import Annotated

import typer

from vitrine.cli.bench_bar import rounds_bar
from vitrine.cli.environment import UNSUCCESSFUL, AsJson, stop
from vitrine.errors import InvalidScenario, VitrineError


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

    Exit code 1: an answer was wrong, or it was interrupted.
    """
    from vitrine.cli import bench
    from vitrine.measure.studies.generator.report import html, text, write_csv
    from vitrine.measure.studies.generator.run import Study, measure
    from vitrine.measure.studies.saved import save

    names = [word.strip() for word in generators.split(",") if word.strip()]
    study = Study(generators=names, users=users, seconds=seconds, rounds=rounds, seed=seed)
    try:
        with rounds_bar() as watch:
            figures = measure(study, watch)
    except InvalidScenario as error:
        stop(str(error))
    except (VitrineError, OSError) as error:
        typer.echo(f"vitrine: {error}", err=True)
        raise typer.Exit(UNSUCCESSFUL) from None
    folder = bench._folder(name, results)
    run = save("generator", figures, folder, html)
    write_csv(figures, folder / "rows.csv")
    print(json.dumps(run, indent=2) if as_json else f"{text(figures)}\n\n{folder}/index.html")
    if not figures["complete"] or any(row["failures"] for row in figures["rounds"]):
        raise typer.Exit(UNSUCCESSFUL)
