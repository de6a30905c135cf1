"""`vitrine-capacity plan`, `compare`, `institutions`: what a service needs, and what it costs."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from capacity.cli.run_folder import Html, Results, Seed, Workers, report
from capacity.errors import PlanImpossible
from loadtest.errors import InvalidScenario
from vitrine.cli.printing import print_message
from vitrine.cli.program import UNSUCCESSFUL, AsJson, stop

QuestionFile = Annotated[
    Path | None,
    typer.Option(
        "--question", help="A TOML file with the options below as keys, with _ in place of -."
    ),
]
Images = Annotated[
    int | None, typer.Option(help="How many images are in the collection.", show_default="100,000")
]
Megapixels = Annotated[
    float | None, typer.Option(help="Median size of the images, in megapixels.", show_default="25")
]
Visits = Annotated[
    float | None,
    typer.Option(
        "--visits-per-day",
        help="Visits per day; each makes some 110 requests.",
        show_default="2,000",
    ),
]
Peak = Annotated[
    float | None,
    typer.Option(
        "--peak-factor",
        help="Visits in the busiest hour, as a multiple of a mean hour's.",
        show_default="3",
    ),
]
Region = Annotated[
    str | None, typer.Option(help="The AWS region whose prices apply.", show_default="eu-west-1")
]
Target = Annotated[
    float | None,
    typer.Option(
        "--target-p95-ms",
        help="Milliseconds within which 95 of 100 requests are to be answered in the busiest hour, "
        "measured at the viewer.",
        show_default="500",
    ),
]
Budget = Annotated[
    float | None,
    typer.Option(help="The most it may cost, in USD per month.", show_default="no limit"),
]
Fewest = Annotated[
    int | None,
    typer.Option(
        "--fewest-tasks",
        help="How many tasks always run at least.",
        show_default="2, one in each zone",
    ),
]
ProfileFile = Annotated[
    Path | None,
    typer.Option(
        "--profile",
        help="Measured times: a TOML table, or the run.json of `vitrine-capacity validate own`.",
        show_default="the one that comes with the program",
    ),
]
Replications = Annotated[
    int, typer.Option(min=2, max=100, help="How many independent runs to simulate.")
]
Warm = Annotated[
    float,
    typer.Option(
        "--warm-days",
        min=0,
        max=365,
        help="How many earlier days fill the edge's cache: fewer are faster, and leave less in it.",
    ),
]
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
    from capacity.plan.make_plan import plan as make_plan
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
    report("plan", name, "A plan for an image service", run, plan_parts, results, html, as_json)
    if not run["within_budget"]:
        print_message("No design that was tried is within the budget.")
        raise typer.Exit(UNSUCCESSFUL)


def compare(
    first: Annotated[
        str, typer.Argument(help="A design: its name, or a TOML file of changes.", metavar="FIRST")
    ],
    second: Annotated[str, typer.Argument(help="The other design.", metavar="SECOND")],
    question: QuestionFile = None,
    images: Images = None,
    megapixels: Megapixels = None,
    visits_per_day: Visits = None,
    peak_factor: Peak = None,
    region: Region = None,
    profile: ProfileFile = None,
    replications: Replications = 5,
    seed: Seed = 1,
    warm_days: Warm = 30.0,
    workers: Workers = None,
    results: Results = None,
    html: Html = None,
    as_json: AsJson = False,
) -> None:
    """Compare two designs under the same visits.

    An unknown name prints the names that exist. Exit code 0: compared. 2: wrong usage.
    """
    from capacity.plan.compare_designs import compare as run_both
    from capacity.plan.compare_designs import compare_parts
    from capacity.plan.design_variants import design_named

    options = {
        "images": images,
        "megapixels": megapixels,
        "visits_per_day": visits_per_day,
        "peak_factor": peak_factor,
        "region": region,
    }
    if first == second:
        stop(f"Both designs are {first}: name two different ones.")
    with stop_if_impossible():
        designs = {name: design_named(name) for name in (first, second)}
        parsed, times = read_options(question, options), load_profile(profile)
        run = run_both(designs, parsed, times, replications, seed, workers, warm_days)
    name = "-".join(Path(one).stem for one in designs)
    title = f"{first} and {second}"
    report("compare", name, title, run, compare_parts, results, html, as_json)


def institutions(
    profile: ProfileFile = None,
    replications: Replications = 5,
    seed: Seed = 1,
    warm_days: Warm = 30.0,
    workers: Workers = None,
    results: Results = None,
    html: Html = None,
    as_json: AsJson = False,
) -> None:
    """Plan for a small archive, a national museum and a union portal, next to `prod`.

    Exit code 0: planned. 2: the profile cannot be read.
    """
    from capacity.plan import institutions as typical

    with stop_if_impossible():
        run = typical.plan_institutions(
            typical.institutions(), load_profile(profile), replications, seed, workers, warm_days
        )
    title = "Plans for three institutions"
    report("plan", "institutions", title, run, typical.institutions_parts, results, html, as_json)


@contextmanager
def stop_if_impossible() -> Iterator[None]:
    """End with exit code 2 and the reason if the question cannot be read or answered."""
    try:
        yield
    except (InvalidScenario, PlanImpossible, FileNotFoundError) as error:
        stop(str(error))


def read_options(file: Path | None, options: Mapping[str, Any]) -> Any:
    """Return the question of a file, of the options that were given, or of both."""
    from capacity.plan.question import Question, read_question

    given = {name: value for name, value in options.items() if value is not None}
    return read_question(file, **given) if file else Question(**given)


def load_profile(path: Path | None) -> Any:
    """Return the table of a file, or the shipped one."""
    from capacity.model.cost_profile import Profile

    return Profile.load(path) if path else Profile.default()
