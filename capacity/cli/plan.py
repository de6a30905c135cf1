"""`vitrine-capacity plan`: what a service needs, and what it costs."""

from typing import Annotated

import typer

from capacity.cli.question_options import (
    Budget,
    Fewest,
    Images,
    Megapixels,
    Peak,
    ProfileFile,
    QuestionFile,
    Region,
    Replications,
    Target,
    Visits,
    Warm,
    load_profile,
    read_options,
    stop_if_impossible,
)
from capacity.cli.run_folder import Html, Results, Seed, Workers, write_report
from vitrine.cli.console.printing import print_message
from vitrine.cli.console.program import UNSUCCESSFUL, AsJson

FreeTier = Annotated[
    bool | None,
    typer.Option(
        "--free-tier/--no-free-tier",
        help="Whether CloudFront's free tier of the account is left for this service.",
        show_default="free tier",
    ),
]


def plan(
    question: QuestionFile = None,
    images: Images = None,
    megapixels: Megapixels = None,
    visits_per_day: Visits = None,
    peak_factor: Peak = None,
    region: Region = None,
    target_p95_ms: Target = None,
    budget: Budget = None,
    fewest_tasks: Fewest = None,
    free_tier: FreeTier = None,
    profile: ProfileFile = None,
    replications: Replications = 5,
    seed: Seed = 1,
    warm_days: Warm = 30.0,
    workers: Workers = None,
    results: Results = None,
    html: Html = None,
    as_json: AsJson = False,
) -> None:
    """Find the cheapest design that meets a target, with its bill and what breaks first.

    Exit code 0: found. 1: no design that was tried is within the budget. 2: the question is
    impossible or cannot be read.
    """
    from capacity.plan.make_plan import make_plan as make_plan
    from capacity.plan.plan_report import plan_parts

    options = {
        "images": images,
        "megapixels": megapixels,
        "visits_per_day": visits_per_day,
        "peak_factor": peak_factor,
        "region": region,
        "target_p95_ms": target_p95_ms,
        "budget": budget,
        "fewest_tasks": fewest_tasks,
        "free_tier": free_tier,
    }
    with stop_if_impossible():
        run = make_plan(
            read_options(question, options),
            load_profile(profile),
            replications,
            seed,
            workers,
            warm_days,
        )
    name = question.stem if question else "question"
    write_report(
        "plan", name, "A plan for an image service", run, plan_parts, results, html, as_json
    )
    if not run["within_budget"]:
        print_message("No design that was tried is within the budget.")
        raise typer.Exit(UNSUCCESSFUL)
