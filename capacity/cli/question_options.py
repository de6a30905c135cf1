"""Options of the commands that ask a question of the simulator."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from capacity.errors import PlanImpossible
from loadtest.errors import InvalidScenario
from vitrine.cli.console.program import stop

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
        help="Measured times: a TOML table, or the run.json of `vitrine-loadtest study answers`.",
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
    from capacity.model.cost_profile import CostProfile

    return CostProfile.load(path) if path else CostProfile.default()
