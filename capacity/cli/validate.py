"""`vitrine-capacity validate`: compare the simulator with theory and measurements."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from capacity.cli.run_folder import Html, Results, Seed, Workers, report
from vitrine.cli.printing import print_message
from vitrine.cli.program import UNSUCCESSFUL, AsJson, stop
from vitrine.errors import VitrineError

Replications = Annotated[
    int, typer.Option(min=2, max=1000, help="How many independent runs of each.")
]
SCRATCH = Path(".build/studies")


def theory(
    replications: Replications = 20,
    seed: Seed = 1,
    workers: Workers = None,
    results: Results = None,
    html: Html = None,
    as_json: AsJson = False,
) -> None:
    """Compare simulated queues with their exact solutions.

    Exit code 0: all are within their confidence intervals. 1: some are not.
    """
    from capacity.validation.theory.theory_report import check_theory, theory_parts

    run = check_theory(replications, seed, workers)
    report(
        "theory", "run", "The simulator against theory", run, theory_parts, results, html, as_json
    )
    _exit_if_broken([row["queue"] for row in run["rows"] if not row["within"]])


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
    report("museum", "run", title, run, museum_parts, results, html, as_json)
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
    from capacity.validation.microscope.microscope_study import study

    if profile not in PROFILES:
        stop(f"There is no profile {profile!r}: choose one of {', '.join(PROFILES)}.")
    run = study(PROFILES[profile], replications, seed, sensitivity, workers)
    title = f"The Virtual Microscope study, simulated again: profile {profile}"
    report(f"microscope-{profile}", "run", title, run, microscope_parts, results, html, as_json)


def own(
    seconds: Annotated[
        float, typer.Option(min=5, help="Length of each round of the tests, in seconds.")
    ] = 8,
    seed: Annotated[
        int, typer.Option(help="Another seed draws other tests to be predicted.")
    ] = 2026,
    measured: Annotated[
        Path | None,
        typer.Option(help="The run.json of an earlier run: predict it again, measure nothing."),
    ] = None,
    scratch: Annotated[Path, typer.Option(help="Folder for access masters.")] = SCRATCH,
    results: Results = None,
    html: Html = None,
    as_json: AsJson = False,
) -> None:
    """Load-test our own image task on this machine, and predict ten tests from others.

    The ten are drawn at random, as are five more that show how sure a forecast may be. It takes a
    quarter of an hour and two cores that do nothing else.

    Exit code 0: nine of ten percentiles lie within 20 % of the forecast, or inside its interval.
    1: fewer do (the raw figures are kept). 2: nothing was measured.
    """
    from capacity.validation.own.own_report import own_parts
    from capacity.validation.own.predict_own import broken, predict

    try:
        figures = _read_measured(measured) if measured else _measure(seconds, seed, scratch)
        run = predict(figures)
    except (VitrineError, RuntimeError) as error:
        stop(str(error))
    except KeyboardInterrupt:
        stop("It was interrupted before all was measured.")
    report("own", "run", "Our own load tests, predicted", run, own_parts, results, html, as_json)
    _exit_if_broken(broken(run))


def _read_measured(path: Path) -> Mapping[str, Any]:
    try:
        figures: Mapping[str, Any] = json.loads(path.read_text())["measured"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        stop(f"{path} is not a run of `vitrine-capacity validate own`: {error}")
    return figures


def _measure(seconds: float, seed: int, scratch: Path) -> Mapping[str, Any]:
    from capacity.validation.own.own_load_runs import measure
    from loadtest.cli.rounds_bar import rounds_bar

    with rounds_bar() as watch:
        return measure(seconds, seed, scratch, lambda line: typer.echo(line, err=True), watch)


def _exit_if_broken(broken: Sequence[str]) -> None:
    for sentence in broken:
        print_message(f"A promise is broken: {sentence}")
    if broken:
        raise typer.Exit(UNSUCCESSFUL)
