"""`vitrine bench redirects` and `redirect-import`: what redirects cost."""

from pathlib import Path
from typing import Annotated

import typer

from vitrine.cli.environment import DEFAULT, UNSUCCESSFUL, AsJson, Environment, connected

RESULTS = Path("results")


def redirects(
    rounds: Annotated[int, typer.Option(min=1, max=50, help="How often to measure.")] = 5,
    results: Annotated[Path, typer.Option(help="Folder for raw results.")] = RESULTS,
    as_json: AsJson = False,
) -> None:
    """Ask our image task for redirects and tombstones: CPU of each. Needs no service.

    Exit code 0: a redirect costs the gateway no more than promised. 1: it does, or it failed.
    """
    from vitrine.cli import bench
    from vitrine.measure.redirects.deciding import measure_decisions

    figures = bench._measure(lambda: measure_decisions(rounds, bench._say))
    text = "\n".join(f"{name:28} {value}" for name, value in figures.items() if name != "rows")
    bench._report("redirects", figures, results, as_json, text)
    if not figures["met"]:
        raise typer.Exit(UNSUCCESSFUL)


def redirect_import(
    rows: Annotated[int, typer.Option(min=1, help="Redirects to import.")] = 100_000,
    environment: Environment = DEFAULT,
    results: Annotated[Path, typer.Option(help="Folder for raw results.")] = RESULTS,
    as_json: AsJson = False,
) -> None:
    """Import redirects into the service on this machine, twice; they stay there."""
    from vitrine.cli import bench
    from vitrine.measure.redirects.importing import measure_import

    with connected(environment) as service:
        figures = bench._measure(lambda: measure_import(service, rows, bench._say))
    bench._report("redirect-import", figures, results, as_json)
