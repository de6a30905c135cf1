"""`vitrine collection schedule`: which collections are updated by themselves, and how that went."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from vitrine.bootstrap.environments import LOCAL
from vitrine.bootstrap.local_service import local_directory
from vitrine.cli.collection.file import usable
from vitrine.cli.collection.harvest import PrivateToo
from vitrine.cli.console.environment import DEFAULT, Environment, connected
from vitrine.cli.console.printing import print_json, print_lines
from vitrine.cli.console.program import UNSUCCESSFUL, AsJson, stop
from vitrine.local.schedules import read_runs, read_schedules, write_schedules
from vitrine.ports import ObjectStore
from vitrine.sources.harvest.guarded_http import GuardedHttp
from vitrine.sources.mapping.mapping_file import MappingFile
from vitrine.sources.mapping.mapping_reader import read_mapping
from vitrine.sources.updates.open_source import open_source
from vitrine.sources.updates.schedule import Schedule, UpdateRun, next_time
from vitrine.sources.updates.scheduled import change_schedule, read_newest_runs, read_scheduled
from vitrine.store.clock import rfc3339


def schedule(
    rules: Annotated[
        Path | None,
        typer.Argument(
            help="The file that says what is harvested; without it, all schedules are listed.",
            metavar="FILE",
        ),
    ] = None,
    every: Annotated[
        int | None,
        typer.Option(
            "--every",
            help="How many hours there are from one update to the next.",
            metavar="HOURS",
            min=1,
            max=8_784,
        ),
    ] = None,
    never: Annotated[bool, typer.Option("--never", help="Stop updating it.")] = False,
    private_too: PrivateToo = False,
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Harvest and publish a collection regularly, or list all schedules.

    The environment does that by itself if no image file is fetched: for a IIIF collection with
    images = "reference", or for records whose images are published already. A collection with a
    folder of images is updated by the machine that has it, while `vitrine up` runs there; for an
    environment on AWS, let a timer of that machine run `update --environment NAME`. The first
    update begins within a quarter of an hour, a missed one when the service runs again.

    Exit code 0: done; of a list, every newest update was complete. 1: some newest update was not.
    2: the file is not usable, or the service is not running.
    """
    if not rules and (every or never):
        stop("Name the file of rules whose schedule is meant.")
    with usable(), connected(environment) as service:
        if rules:
            _change(service.records, environment, rules, every, never, private_too)
        schedules = read_scheduled(service.records)
        runs = read_newest_runs(service.records, schedules)
        if environment == LOCAL:
            schedules |= read_schedules(local_directory())
            runs |= read_runs(local_directory())
    if as_json:
        print_json([_as_json(one, runs.get(one.rules)) for one in schedules.values()])
    else:
        print_lines(_lines(schedules, runs))
    if not rules and any(runs[one].exit_code for one in schedules if one in runs):
        raise typer.Exit(UNSUCCESSFUL)


def _change(
    records: ObjectStore,
    environment: str,
    rules: Path,
    every: int | None,
    never: bool,
    private_too: bool,
) -> None:
    """Write one schedule, or remove it. Raises MappingUnusable, OSError, TransientError."""
    if not rules.exists() and not never:
        stop(f"{rules} does not exist.")
    if (every is None) is not never:
        stop("Say either how often (--every HOURS) or --never.")
    if not rules.exists():  # a timer knows it by its path
        _change_timer(rules, every, private_too)
        return
    mapping = read_mapping(rules)
    if mapping.needs_folder and environment != LOCAL:
        stop(
            f"{rules} has a folder of images or texts, which no environment on AWS reaches: let a "
            f"timer of this machine run `vitrine collection update {rules} --environment "
            f'{environment}`, or say images = "reference".'
        )
    says_rules = mapping.access or "access" in mapping.texts
    if every is not None and says_rules and not mapping.needs_folder:
        stop(
            f"{rules} says who may see its images, which an environment does not set when it "
            "updates a collection by itself: an image would be public that is not meant to be. Let "
            f"a timer of this machine run `vitrine collection update {rules}`."
        )
    if every is not None:
        open_source(mapping, GuardedHttp())  # or it says what is wrong with the file
    if mapping.needs_folder:
        _change_timer(rules, every, private_too)
    else:
        _change_environment(records, environment, rules, mapping, every, private_too)


def _change_environment(
    records: ObjectStore,
    environment: str,
    rules: Path,
    mapping: MappingFile,
    every: int | None,
    private_too: bool,
) -> None:
    """Have the environment itself update it, or no longer."""
    if private_too and environment != LOCAL:
        stop("An environment on AWS asks no server on a private network: leave out --private-too.")
    name = mapping.identifier
    new = Schedule(rules=name, hours=every, private_too=private_too) if every else None
    was_there = change_schedule(records, name, new, rules.read_text(encoding="utf-8"))
    if not (new or was_there):
        stop(f"{rules} is on no schedule.")


def _change_timer(rules: Path, every: int | None, private_too: bool) -> None:
    """Have the timer of `vitrine up` update it, or no longer."""
    directory = local_directory()
    schedules, path = read_schedules(directory), str(rules.resolve())
    if every is None:
        if schedules.pop(path, None) is None:
            stop(f"{rules} is on no schedule.")
    else:
        schedules[path] = Schedule(rules=path, hours=every, private_too=private_too)
    write_schedules(directory, schedules)


def _lines(schedules: dict[str, Schedule], runs: dict[str, UpdateRun]) -> Iterator[str]:
    if not schedules:
        yield "Nothing is on the schedule: vitrine collection schedule FILE --every HOURS"
    for one in schedules.values():
        yield f"{one.rules}: every {one.hours} hours; {_newest(one, runs.get(one.rules))}"


def _newest(schedule: Schedule, run: UpdateRun | None) -> str:
    if run is None:
        return "not updated yet"
    if run.exit_code is None:
        return run.said or f"an update began {run.begun}"
    again = rfc3339(next_time(schedule, run))
    how = f"exit code {run.exit_code} ({run.said})" if run.said else f"exit code {run.exit_code}"
    return f"updated {run.begun}: {how}; again {again}"


def _as_json(schedule: Schedule, run: UpdateRun | None) -> dict[str, Any]:
    begun: dict[str, Any] = {"begun": None, "exit_code": None, "said": ""}
    return vars(schedule) | (vars(run) if run else begun)
