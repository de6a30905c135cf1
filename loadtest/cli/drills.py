"""`vitrine-loadtest drill`: the service under load, damage and faults, each with a verdict."""

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from loadtest.cli.options import RESULTS, Results, Rounds
from loadtest.cli.raw_run import (
    measure_or_exit,
    print_progress,
    save_and_print,
)
from vitrine.cli.environment import DEFAULT, Environment, connected
from vitrine.cli.program import UNSUCCESSFUL, AsJson


def zoomable(
    environment: Environment = DEFAULT,
    rounds: Rounds = 5,
    results: Results = RESULTS,
    as_json: AsJson = False,
) -> None:
    """Upload a master of 55 megapixels, 16-bit Adobe RGB: time until it zooms, and colour error.

    Exit code 0: measured. 1: it failed. 2: the service is not running.
    """
    from loadtest.drills.zoomable import measure_zoomable

    with connected(environment) as service, tempfile.TemporaryDirectory() as scratch:
        figures = measure_or_exit(
            lambda: measure_zoomable(service, Path(scratch), rounds, print_progress)
        )
    save_and_print("zoomable", figures, results, as_json)


def cold_clients(
    environment: Environment = DEFAULT,
    clients: Annotated[int, typer.Option(min=1, max=200, help="How many clients at once.")] = 20,
    rounds: Rounds = 5,
    results: Results = RESULTS,
    as_json: AsJson = False,
) -> None:
    """Let many clients request the same uncached image at once: failures, and reads from S3.

    Exit code 0: measured. 1: it failed. 2: the service is not running.
    """
    from loadtest.drills.cold_clients import measure_cold

    with connected(environment) as service:
        figures = measure_or_exit(lambda: measure_cold(service, clients, rounds, print_progress))
    save_and_print("cold", figures, results, as_json)


def corruption(
    variants: Annotated[int, typer.Option(min=1, help="How many damaged masters to try.")] = 2_000,
    first: Annotated[
        int, typer.Option(min=0, help="Number of the first variant, to continue an earlier run.")
    ] = 0,
    workers: Annotated[int, typer.Option(min=1, max=64, help="How many processes.")] = 2,
    results: Results = RESULTS,
    as_json: AsJson = False,
) -> None:
    """Damage masters of every format: each must be rejected or converted correctly.

    Needs no service. Exit code 0: all were. 1: some were not, or it failed.
    """
    from loadtest.drills.corruption.corruption_drill import measure_corruption

    figures = measure_or_exit(lambda: measure_corruption(variants, workers, print_progress, first))
    save_and_print("corruption", figures, results, as_json)
    if figures["bad"]:
        raise typer.Exit(UNSUCCESSFUL)


def conversions(
    conversions: Annotated[int, typer.Option(min=26, help="How many masters to convert.")] = 300,
    threads: Annotated[int, typer.Option(min=1, max=64, help="How many conversions at once.")] = 8,
    results: Results = RESULTS,
    as_json: AsJson = False,
) -> None:
    """Convert masters of mixed formats in one process, and measure whether its memory grows.

    Needs no service. Exit code 0: measured. 1: it failed.
    """
    from loadtest.drills.conversions import measure_conversions

    figures = measure_or_exit(lambda: measure_conversions(conversions, threads, print_progress))
    save_and_print("conversions", figures, results, as_json)


def bombs(results: Results = RESULTS, as_json: AsJson = False) -> None:
    """Measure the time and memory that rejecting small files of 60,000 x 60,000 pixels takes.

    Needs no service. Exit code 0: measured. 1: it failed.
    """
    from loadtest.drills.bombs import measure_bombs

    save_and_print("bombs", measure_or_exit(measure_bombs), results, as_json)
