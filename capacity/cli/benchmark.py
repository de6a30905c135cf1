"""`vitrine-capacity benchmark`: time and memory of the capacity simulator."""

from pathlib import Path
from typing import Annotated

import typer

from loadtest.cli.options import RESULTS
from vitrine.cli.program import UNSUCCESSFUL, AsJson


def benchmark(
    rounds: Annotated[
        int, typer.Option(min=1, max=50, help="How many times to simulate the day.")
    ] = 5,
    replications: Annotated[
        int,
        typer.Option(
            min=2, max=1000, help="How many runs of the Virtual Microscope's full factorial."
        ),
    ] = 100,
    results: Annotated[
        Path, typer.Option(help="Folder in which the run gets a dated folder of its own.")
    ] = RESULTS,
    as_json: AsJson = False,
) -> None:
    """Measure the simulator: a day of a million requests on 20 tasks, then a full factorial.

    It takes ten minutes. Exit code 0: as fast and small as promised. 1: not, or it failed.
    """
    from capacity.benchmark.simulator_benchmark import measure_simulator
    from loadtest.cli.raw_run import measure_or_exit, print_progress, save_and_print

    figures = measure_or_exit(lambda: measure_simulator(rounds, replications, print_progress))
    lines = [f"{name.replace('_', ' '):28} {value}" for name, value in figures.items()]
    save_and_print("simulator", figures, results, as_json, "\n".join(lines[:-1]))
    if not figures["met"]:
        raise typer.Exit(UNSUCCESSFUL)
