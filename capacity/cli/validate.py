"""`vitrine-capacity validate`: compare the simulator with published studies."""

from collections.abc import Sequence
from typing import Annotated

import typer

from capacity.cli.run_folder import Html, Results, Seed, Workers, write_report
from vitrine.cli.console.printing import print_message
from vitrine.cli.console.program import UNSUCCESSFUL, AsJson, stop

Replications = Annotated[
    int, typer.Option(min=2, max=1000, help="How many independent runs of each.")
]


def museum(
    replications: Replications = 5,
    seed: Seed = 1,
    workers: Workers = None,
    results: Results = None,
    html: Html = None,
    as_json: AsJson = False,
) -> None:
    """Predict a museum's load tests at 100 and 1,000 connections from those at 10.

    Exit code 0: all predictions are within their bounds. 1: some are not.
    """
    from capacity.validation.museum.museum_report import broken, museum_parts
    from capacity.validation.museum.predict_museum import predict

    run = predict(replications, seed, workers)
    title = "A museum's load tests, predicted"
    write_report("museum", "run", title, run, museum_parts, results, html, as_json)
    _exit_if_broken(broken(run))


def microscope(
    profile: Annotated[
        str, typer.Option(help="How to read the paper: `printed` or `fitted`.")
    ] = "fitted",
    replications: Replications = 20,
    sensitivity: Annotated[
        int,
        typer.Option(min=0, help="How many runs of each alternative choice; 0 leaves them out."),
    ] = 3,
    seed: Seed = 1,
    workers: Workers = None,
    results: Results = None,
    html: Html = None,
    as_json: AsJson = False,
) -> None:
    """Repeat the Virtual Microscope study of 1998: its figures 14 to 18, tables 7 and 8.

    Exit code 0: simulated. 2: there is no such profile.
    """
    from capacity.validation.microscope.microscope_profile import PROFILES
    from capacity.validation.microscope.microscope_report import microscope_parts
    from capacity.validation.microscope.microscope_study import run_study

    if profile not in PROFILES:
        stop(f"There is no profile {profile!r}: choose one of {', '.join(PROFILES)}.")
    run = run_study(PROFILES[profile], replications, seed, sensitivity, workers)
    title = f"The Virtual Microscope study, simulated again: profile {profile}"
    write_report(
        f"microscope-{profile}", "run", title, run, microscope_parts, results, html, as_json
    )


def _exit_if_broken(broken: Sequence[str]) -> None:
    for sentence in broken:
        print_message(f"A promise is broken: {sentence}")
    if broken:
        raise typer.Exit(UNSUCCESSFUL)
