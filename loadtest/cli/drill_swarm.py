"""`vitrine-loadtest drill swarm`: ten thousand addresses ask for what costs most."""

from pathlib import Path
from typing import Annotated

import typer

from loadtest.cli.options import RESULTS, Results, Scratch, Seed
from loadtest.cli.study_run import fresh_folder, print_progress, run_drill
from vitrine.cli.console.program import AsJson, stop

SCRATCH = Path(".build/studies")
SEED = 21


def swarm(
    minutes: Annotated[
        float, typer.Option(min=0.1, help="How long each part lasts, in minutes.")
    ] = 10.0,
    visitors: Annotated[
        int, typer.Option(min=1, max=500, help="Visitors who look at images.")
    ] = 50,
    addresses: Annotated[
        int, typer.Option(min=1, help="Addresses from which the swarm's requests come.")
    ] = 10_000,
    times: Annotated[
        float,
        typer.Option(
            min=0.1, help="Load of the swarm, as a multiple of what the machine can answer."
        ),
    ] = 5.0,
    per_second: Annotated[
        float, typer.Option(min=0, help="Requests of the swarm a second, instead of --times.")
    ] = 0.0,
    setting: Annotated[
        list[str] | None,
        typer.Option(
            help="A setting of the image task, as in VITRINE_UNDER_PRESSURE=refuse. May be "
            "repeated.",
            metavar="NAME=VALUE",
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(help="Folder of a run that was interrupted: only what it lacks is done."),
    ] = None,
    seed: Seed = SEED,
    scratch: Scratch = SCRATCH,
    results: Results = RESULTS,
    as_json: AsJson = False,
) -> None:
    """Let a swarm request what costs most, and measure what visitors notice of it.

    Visitors come alone first; then with the swarm while the service refuses under pressure, and
    while it only counts. Needs no service. Exit code 0: every promise was kept. 1: one was broken,
    or the drill failed.
    """
    from loadtest.drills.swarm.swarm_drill import broken_promises, measure_swarm
    from loadtest.drills.swarm.swarm_part import SwarmOrder
    from loadtest.drills.swarm.swarm_report import REPORT

    order = SwarmOrder(
        seconds=60 * minutes,
        visitors=visitors,
        addresses=addresses,
        times=times,
        per_second=per_second,
        seed=seed,
        settings=tuple(_parse_setting(entry) for entry in setting or ()),
    )
    folder = resume or fresh_folder(results, "swarm")
    run_drill(
        REPORT,
        lambda: measure_swarm(order, folder, scratch, print_progress),
        broken_promises,
        folder,
        as_json,
    )


def _parse_setting(entry: str) -> tuple[str, str]:
    name, equals, value = entry.partition("=")
    if not equals or not name.startswith("VITRINE_"):
        stop(f"--setting {entry!r}: give NAME=VALUE, as in VITRINE_UNDER_PRESSURE=refuse.")
    return name, value
