"""`vitrine-loadtest run`, `show` and `record`: send a scenario's requests, or look at them."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from loadtest.cli.clean_tree import require_clean_tree_for
from loadtest.cli.load_test_place import run_where, server_and_images
from loadtest.cli.stages_bar import stages_bar
from loadtest.cli.study_run import fresh_folder, require_writable
from loadtest.errors import InvalidScenario
from loadtest.workload.access_log import recorded_paths
from loadtest.workload.catalogue import Catalogue, Image
from loadtest.workload.request import UserRequest
from loadtest.workload.scenario import read_scenario
from vitrine.cli.console.environment import DEFAULT, Environment
from vitrine.cli.console.printing import print_message
from vitrine.cli.console.program import UNSUCCESSFUL, AsJson, stop
from vitrine.errors import TransientError

ScenarioFile = Annotated[
    Path,
    typer.Argument(help="The scenario: a TOML file like those in scenarios/.", metavar="SCENARIO"),
]
Images = Annotated[
    list[str] | None,
    typer.Option(
        help="The images to request: a CSV file, the address of an info.json, or a text file with "
        "one such address per line. May be repeated.",
    ),
]
STAND_INS = (("small", 3000, 2000), ("medium", 7000, 5000), ("large", 12000, 9000))
"""Shown if no images are named, one of each class of the museum's table."""


def run(
    scenario: ScenarioFile,
    url: Annotated[
        str, typer.Option(help="Scheme and host of the server.", show_default="our own service")
    ] = "",
    users: Annotated[
        str,
        typer.Option(
            help="How many users at once, stage by stage, as in 10,100,1000.",
            show_default="the scenario's",
        ),
    ] = "",
    seconds: Annotated[
        float,
        typer.Option(
            min=0, help="Length of each stage, in seconds.", show_default="the scenario's"
        ),
    ] = 0,
    images: Images = None,
    seed: Annotated[
        int | None,
        typer.Option(
            help="Random seed: equal seeds make equal requests.", show_default="the scenario's"
        ),
    ] = None,
    processes: Annotated[
        int, typer.Option(min=1, max=64, help="How many processes send requests.")
    ] = 1,
    csv: Annotated[
        Path | None, typer.Option(help="Write CSV files whose names begin with this path.")
    ] = None,
    results: Annotated[
        Path | None,
        typer.Option(help="Write a report and its figures into a dated folder in this one."),
    ] = None,
    on: Annotated[
        str, typer.Option(help="Where the requests are sent from: here, or aws.")
    ] = "here",
    generators: Annotated[
        int, typer.Option(min=1, help="How many tasks send requests, with --on aws.")
    ] = 2,
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Send a scenario's requests to any IIIF server and check every answer.

    Without --images, they are for the newest images of our own service. With --on aws, they are
    sent by Fargate tasks in the region of --environment.

    Exit code 0: all answers were right. 1: some were not, or it was interrupted. 2: nothing was
    requested.
    """
    from loadtest.fleet.load_test_report import REPORT, report_parts, write_csv
    from loadtest.fleet.locust_command import LoadTest
    from loadtest.report.document import format_text
    from loadtest.report.saved_run import save_run

    require_clean_tree_for(results)
    folder = fresh_folder(results, "loadtest") if results else None
    if csv:
        require_writable(csv.parent, f"--csv {csv}")
    with _stop_if_unusable():
        parsed = read_scenario(scenario)
        url, chosen = server_and_images(parsed, url.rstrip("/"), images, environment)
        test = LoadTest(
            scenario=scenario,
            url=url,
            images=chosen,
            users=_parse_users(users),
            seconds=seconds,
            seed=seed,
            processes=processes,
            csv=csv,
        )
        with stages_bar(parsed, test.users, seconds) as progress:
            result = run_where(on, test, generators, environment, progress)
    if csv:
        write_csv(result, csv.with_name(f"{csv.name}_rows.csv"))
    if folder:
        save_run(REPORT, result, folder)
        print(f"{folder}/index.html", file=sys.stderr)
    print(json.dumps(result, indent=2) if as_json else format_text(report_parts(result)))
    if result["failures"] or not result["complete"]:
        raise typer.Exit(UNSUCCESSFUL)


def show(
    scenario: ScenarioFile,
    count: Annotated[int, typer.Option(min=1, help="How many requests to print.")] = 20,
    user: Annotated[int, typer.Option(min=0, help="Number of the user, from 0.")] = 0,
    images: Images = None,
    as_json: AsJson = False,
) -> None:
    """Print the first requests of one user, but send none.

    Exit code 0: printed. 2: the scenario cannot be read.
    """
    from loadtest.fleet.image_lists import images_from

    with _stop_if_unusable():
        parsed = read_scenario(scenario)
        sources = images or ([str(scenario.parent / parsed.images)] if parsed.images else [])
        chosen = images_from(sources)
        if not sources and parsed.options.needs_images:
            print_message("Without --images, made-up images stand in.")
            chosen = [Image(*stand_in) for stand_in in STAND_INS]
        workload = parsed.workload(Catalogue.of(chosen) if chosen else None)
        requests = list(islice(workload.requests(user, parsed.most_users), count))
    if as_json:
        print(json.dumps([_as_json(request) for request in requests], indent=2))
        return
    for request in requests:
        think = f"{request.think_seconds:.3f} s" if request.think_seconds else ""
        print(f"{request.step:6}  {request.kind:16}  {think:>10}  {request.path}")


def record(
    access_log: Annotated[
        Path,
        typer.Argument(help="Our nginx's log (JSON Lines); - reads standard input.", metavar="LOG"),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The text file to write.")],
    deduplicate: Annotated[
        bool, typer.Option("--deduplicate", help="Write each address only once.")
    ] = False,
) -> None:
    """Make a list of addresses from our access log, for a scenario of kind url-list.

    Exit code 0: written. 2: the log cannot be read, or the list cannot be written.
    """
    try:
        with access_log.open() if str(access_log) != "-" else sys.stdin as lines:
            paths = list(recorded_paths(lines))
    except (OSError, UnicodeDecodeError) as error:
        stop(f"{access_log} cannot be read: {error}")
    if deduplicate:
        paths = list(dict.fromkeys(paths))
    if not paths:
        stop(f"{access_log} holds no answered image request in our log format.")
    try:
        output.write_text("".join(f"{path}\n" for path in paths))
    except OSError as error:
        stop(f"--output {output} cannot be written: {error.strerror}.")
    print(f"{output}: {len(paths):,} addresses")


def _as_json(request: UserRequest) -> dict[str, Any]:
    target = request.target
    return {
        "step": request.step,
        "kind": request.kind,
        "path": request.path,
        "think_seconds": round(request.think_seconds, 6),
        "width": target.width,
        "height": target.height,
    }


@contextmanager
def _stop_if_unusable() -> Iterator[None]:
    """End with exit code 2 and the reason if something cannot be run."""
    try:
        yield
    except (InvalidScenario, TransientError) as error:
        stop(str(error))


def _parse_users(text: str) -> tuple[int, ...]:
    try:
        numbers = tuple(int(word) for word in text.split(",")) if text else ()
    except ValueError:
        raise InvalidScenario(f"--users {text!r}: give numbers, as in 10,100,1000") from None
    if numbers and min(numbers) < 1:
        raise InvalidScenario(f"--users {text!r}: numbers must be above 0")
    return numbers
