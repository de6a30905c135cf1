"""`vitrine-capacity swarm`: visits of many tasks, with a swarm next to them."""

from typing import Annotated, Any

import typer

from capacity.cli.question_options import (
    Images,
    Megapixels,
    Peak,
    ProfileFile,
    QuestionFile,
    Replications,
    load_profile,
    read_options,
    stop_if_impossible,
)
from capacity.cli.run_folder import Html, Results, Seed, Workers, write_report
from vitrine.cli.console.program import AsJson

_VISITS_PER_DAY = 100_000.0


def swarm(
    question: QuestionFile = None,
    images: Images = None,
    megapixels: Megapixels = None,
    visits_per_day: Annotated[
        float | None,
        typer.Option(
            "--visits-per-day",
            help="Visits per day; each makes some 110 requests.",
            show_default="100,000",
        ),
    ] = None,
    peak_factor: Peak = None,
    tasks: Annotated[
        int, typer.Option(min=1, max=100, help="How many tasks serve, all the time.")
    ] = 12,
    times: Annotated[
        float,
        typer.Option(
            min=0.1, help="Load of the swarm, as a multiple of what the tasks can answer."
        ),
    ] = 5.0,
    minutes: Annotated[
        float, typer.Option(min=1, max=60, help="How many minutes to simulate.")
    ] = 10.0,
    profile: ProfileFile = None,
    replications: Replications = 5,
    seed: Seed = 1,
    warm_days: Annotated[
        float, typer.Option(min=0, max=365, help="How many earlier days fill the edge's cache.")
    ] = 0.1,
    workers: Workers = None,
    results: Results = None,
    html: Html = None,
    as_json: AsJson = False,
) -> None:
    """Simulate a swarm next to visitors: do these notice it, and what does it cost?

    It is the story of `vitrine-loadtest drill swarm`, for as many tasks as you like. Visitors come
    alone first; then with the swarm, once only counted and once refused by price. Exit code 0:
    simulated. 2: the question is impossible.
    """
    from capacity.plan.meet_swarm import meet_swarm, swarm_parts

    options: dict[str, Any] = {
        "images": images,
        "megapixels": megapixels,
        "visits_per_day": visits_per_day,
        "peak_factor": peak_factor,
    }
    if question is None and visits_per_day is None:
        options["visits_per_day"] = _VISITS_PER_DAY
    with stop_if_impossible():
        run = meet_swarm(
            read_options(question, options),
            load_profile(profile),
            tasks=tasks,
            times=times,
            minutes=minutes,
            replications=replications,
            seed=seed,
            warm_days=warm_days,
            workers=workers,
        )
    write_report(
        "swarm", "swarm", "A swarm next to visitors", run, swarm_parts, results, html, as_json
    )
