"""`vitrine loadtest`: ask a server for what a scenario says; look at scenarios, record lists."""

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
from loadtest.workload.access_log import recorded
from loadtest.workload.catalogue import Catalogue, Image
from loadtest.workload.request import Request
from loadtest.workload.scenario import read_scenario
from vitrine.cli.environment import DEFAULT, Environment
from vitrine.cli.program import UNSUCCESSFUL, AsJson, print_message, stop
from vitrine.errors import InvalidScenario, TransientError

ScenarioFile = Annotated[Path, typer.Argument(help="TOML file, as those in scenarios/.")]
Images = Annotated[
    list[str] | None,
    typer.Option(
        help="Images to ask for: a CSV file, the address of an info.json, or a text file with one "
        "such address a line. May be repeated.",
    ),
]
STAND_INS = (("small", 3000, 2000), ("medium", 7000, 5000), ("large", 12000, 9000))
"""Shown where no images are named, one of each class of the report."""


def run(
    scenario: ScenarioFile,
    url: Annotated[str, typer.Option(help="Scheme and host. Default: our own service.")] = "",
    users: Annotated[str, typer.Option(help="Users at once, stage by stage: 10,100,1000.")] = "",
    seconds: Annotated[float, typer.Option(min=0, help="Length of each stage.")] = 0,
    images: Images = None,
    seed: Annotated[int | None, typer.Option(help="In place of the scenario's.")] = None,
    processes: Annotated[int, typer.Option(min=1, max=64, help="Generator processes.")] = 1,
    csv: Annotated[Path | None, typer.Option(help="Prefix of CSV files to write.")] = None,
    results: Annotated[Path | None, typer.Option(help="Folder for a report and figures.")] = None,
    on: Annotated[str, typer.Option(help="Where generators run: here, or aws.")] = "here",
    generators: Annotated[int, typer.Option(min=1, help="Tasks that ask, with --on aws.")] = 2,
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Run a scenario against any IIIF server. Exit code 1 when an answer was wrong.

    Without --images, the newest images of our own service are asked for. With --on aws,
    generators run as Fargate tasks in the region of --environment.
    """
    from loadtest.fleet.load_test_table import table, write_csv
    from loadtest.fleet.locust_command import LoadTest

    require_clean_tree_for(results)
    folder = fresh_folder(results, "loadtest") if results else None
    if csv:
        require_writable(csv.parent, f"--csv {csv}")
    with _refusing():
        what = read_scenario(scenario)
        url, found = server_and_images(what, url.rstrip("/"), images, environment)
        test = LoadTest(
            scenario=scenario,
            url=url,
            images=found,
            users=_numbers(users),
            seconds=seconds,
            seed=seed,
            processes=processes,
            csv=csv,
        )
        with stages_bar(what, test.users, seconds) as progress:
            result = run_where(on, test, generators, environment, progress)
    if csv:
        write_csv(result, csv.with_name(f"{csv.name}_rows.csv"))
    if folder:
        _save(result, folder)
        print(f"{folder}/index.html", file=sys.stderr)
    print(json.dumps(result, indent=2) if as_json else table(result))
    if result["failures"] or not result["complete"]:
        raise typer.Exit(UNSUCCESSFUL)


def _save(result: dict[str, Any], folder: Path) -> None:
    from loadtest.fleet.load_test_page import html
    from loadtest.fleet.load_test_table import write_csv
    from loadtest.report.saved_run import save

    save("loadtest", result, folder, html)
    write_csv(result, folder / "rows.csv")


def show(
    scenario: ScenarioFile,
    count: Annotated[int, typer.Option(min=1, help="Requests to print.")] = 20,
    user: Annotated[int, typer.Option(min=0, help="Number of the user.")] = 0,
    images: Images = None,
    as_json: AsJson = False,
) -> None:
    """Print the first requests of one user, and send none."""
    from loadtest.fleet.image_lists import images_from

    with _refusing():
        what = read_scenario(scenario)
        sources = images or ([str(scenario.parent / what.images)] if what.images else [])
        found = images_from(sources)
        if not sources and what.options.needs_images:
            print_message("no --images: these are stand-ins")
            found = [Image(*stand_in) for stand_in in STAND_INS]
        workload = what.workload(Catalogue.of(found) if found else None)
        requests = list(islice(workload.requests(user, what.most_users), count))
    if as_json:
        print(json.dumps([_as_json(request) for request in requests], indent=2))
        return
    for request in requests:
        think = f"{request.think_seconds:.3f} s" if request.think_seconds else ""
        print(f"{request.step:6}  {request.kind:16}  {think:>10}  {request.path}")


def record(
    access_log: Annotated[Path, typer.Argument(help="Our nginx's log: JSON lines; - is stdin.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Text file to write.")],
    deduplicate: Annotated[bool, typer.Option(help="Each address once.")] = False,
) -> None:
    """Make a list of addresses, for a scenario of kind url-list, from our access log."""
    try:
        with access_log.open() if str(access_log) != "-" else sys.stdin as lines:
            paths = list(recorded(lines))
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


def _as_json(request: Request) -> dict[str, Any]:
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
def _refusing() -> Iterator[None]:
    """Exit code 2 with the reason for what cannot be run."""
    try:
        yield
    except (InvalidScenario, TransientError) as error:
        stop(str(error))


def _numbers(text: str) -> tuple[int, ...]:
    try:
        numbers = tuple(int(word) for word in text.split(",")) if text else ()
    except ValueError:
        raise InvalidScenario(f"--users {text!r}: give numbers, as in 10,100,1000") from None
    if numbers and min(numbers) < 1:
        raise InvalidScenario(f"--users {text!r}: numbers must be above 0")
    return numbers
