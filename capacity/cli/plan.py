"""`vitrine-capacity plan` and `compare`: what an institution needs, and what it would cost."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from capacity.cli.run_folder import Html, Results, Seed, Workers, report
from vitrine.cli.program import UNSUCCESSFUL, AsJson, print_message, stop
from vitrine.errors import InvalidScenario, PlanImpossible

Question = Annotated[
    Path | None,
    typer.Option("--question", help="TOML file with the options below as keys, _ for -."),
]
Images = Annotated[
    int | None, typer.Option(help="Images in the collection.", show_default="100,000")
]
Megapixels = Annotated[
    float | None, typer.Option(help="Median of the images, in megapixels.", show_default="25")
]
Visits = Annotated[
    float | None,
    typer.Option(
        "--visits-per-day", help="Visits; each makes some 110 requests.", show_default="2,000"
    ),
]
Peak = Annotated[
    float | None,
    typer.Option(
        "--peak-factor", help="Visits in the busiest hour over a mean one.", show_default="3"
    ),
]
Region = Annotated[
    str | None, typer.Option(help="Region of AWS whose prices count.", show_default="eu-west-1")
]
Target = Annotated[
    float | None,
    typer.Option(
        "--target-p95-ms",
        help="Of all requests in the busiest hour, at the viewer.",
        show_default="500",
    ),
]
Budget = Annotated[float | None, typer.Option(help="USD per month.", show_default="whatever")]
Fewest = Annotated[
    int | None,
    typer.Option(
        "--fewest-tasks", help="Tasks that always run.", show_default="2, one in each zone"
    ),
]
ProfileFile = Annotated[
    Path | None,
    typer.Option(
        "--profile",
        help="Measured times: a TOML table, or run.json of `vitrine-capacity validate own`.",
        show_default="the one that is shipped",
    ),
]
Replications = Annotated[int, typer.Option(min=2, max=100, help="Independent runs.")]
Warm = Annotated[
    int,
    typer.Option(min=0, help="Visits that fill the caches first: more take longer, and are truer."),
]


def plan(
    question: Question = None,
    images: Images = None,
    megapixels: Megapixels = None,
    visits_per_day: Visits = None,
    peak_factor: Peak = None,
    region: Region = None,
    target_p95_ms: Target = None,
    budget: Budget = None,
    fewest_tasks: Fewest = None,
    profile: ProfileFile = None,
    replications: Replications = 5,
    seed: Seed = 1,
    warm_visits: Warm = 2_000,
    workers: Workers = None,
    results: Results = None,
    html: Html = None,
    as_json: AsJson = False,
) -> None:
    """The cheapest design that keeps a target, its bill, and what breaks first."""
    from capacity.plan.make_plan import plan as make_plan
    from capacity.plan.plan_report import plan_parts

    asked = {
        "images": images,
        "megapixels": megapixels,
        "visits_per_day": visits_per_day,
        "peak_factor": peak_factor,
        "region": region,
        "target_p95_ms": target_p95_ms,
        "budget": budget,
        "fewest_tasks": fewest_tasks,
    }
    with _sense():
        run = make_plan(
            _asked(question, asked), _profile(profile), replications, seed, workers, warm_visits
        )
    name = question.stem if question else "question"
    report("plan", name, "A plan for an image service", run, plan_parts, results, html, as_json)
    if not run["within_budget"]:
        print_message("no design that was tried is within the budget")
        raise typer.Exit(UNSUCCESSFUL)


def compare(
    first: Annotated[str, typer.Argument(help="A design: a name, or a TOML file of changes.")],
    second: Annotated[str, typer.Argument(help="The other one.")],
    question: Question = None,
    images: Images = None,
    megapixels: Megapixels = None,
    visits_per_day: Visits = None,
    peak_factor: Peak = None,
    region: Region = None,
    profile: ProfileFile = None,
    replications: Replications = 5,
    seed: Seed = 1,
    warm_visits: Warm = 2_000,
    workers: Workers = None,
    results: Results = None,
    html: Html = None,
    as_json: AsJson = False,
) -> None:
    """Two designs meet the same visits. An unknown name says which names there are."""
    from capacity.plan.compare_designs import compare as run_both
    from capacity.plan.compare_designs import compare_parts
    from capacity.plan.design_variants import design_named

    asked = {
        "images": images,
        "megapixels": megapixels,
        "visits_per_day": visits_per_day,
        "peak_factor": peak_factor,
        "region": region,
    }
    if first == second:
        stop(f"{first} and {second} are one design: name two.")
    with _sense():
        designs = {name: design_named(name) for name in (first, second)}
        asks, times = _asked(question, asked), _profile(profile)
        run = run_both(designs, asks, times, replications, seed, workers, warm_visits)
    name = "-".join(Path(one).stem for one in designs)
    title = f"{first} and {second}"
    report("compare", name, title, run, compare_parts, results, html, as_json)


def institutions(
    profile: ProfileFile = None,
    replications: Replications = 5,
    seed: Seed = 1,
    warm_visits: Warm = 2_000,
    workers: Workers = None,
    results: Results = None,
    html: Html = None,
    as_json: AsJson = False,
) -> None:
    """Plans for a small archive, a national museum and a union portal, beside `prod`."""
    from capacity.plan import institutions as typical

    with _sense():
        run = typical.plan_institutions(
            typical.institutions(), _profile(profile), replications, seed, workers, warm_visits
        )
    title = "Plans for three institutions"
    report("plan", "institutions", title, run, typical.institutions_parts, results, html, as_json)


@contextmanager
def _sense() -> Iterator[None]:
    """Nonsense, and what is impossible, ends with exit code 2 and the reason."""
    try:
        yield
    except (InvalidScenario, PlanImpossible, FileNotFoundError) as error:
        stop(str(error))


def _asked(file: Path | None, options: Mapping[str, Any]) -> Any:
    from capacity.plan.question import Question as Asked
    from capacity.plan.question import read_question

    given = {name: value for name, value in options.items() if value is not None}
    return read_question(file, **given) if file else Asked(**given)


def _profile(path: Path | None) -> Any:
    from capacity.model.cost_profile import Profile

    return Profile.load(path) if path else Profile.default()
