"""`vitrine collection schedule`: which collections this machine updates by itself."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from vitrine.bootstrap.local_service import local_directory
from vitrine.cli.collection_file import usable
from vitrine.cli.collection_harvest import PrivateToo
from vitrine.cli.printing import print_json, print_lines
from vitrine.cli.program import UNSUCCESSFUL, AsJson, stop
from vitrine.local.schedules import (
    Run,
    Schedule,
    next_time,
    read_runs,
    read_schedules,
    write_schedules,
)
from vitrine.present.harvest.guarded_http import GuardedHttp
from vitrine.present.mapping.mapping_file import read_mapping
from vitrine.present.mapping.open_source import open_source
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
            "--every", help="Update it every so many hours.", metavar="HOURS", min=1, max=8_784
        ),
    ] = None,
    never: Annotated[bool, typer.Option("--never", help="Take it from the schedule.")] = False,
    private_too: PrivateToo = False,
    as_json: AsJson = False,
) -> None:
    """Have this machine harvest and publish a collection again and again, while `vitrine up` runs.

    The first `vitrine collection update` begins at once, one that was missed when the service runs
    again. For an environment on AWS let a timer of your own run `update --environment NAME`.

    Exit code 0: done; of a list, every newest update was complete. 1: some newest update was not.
    2: the file is not usable.
    """
    directory = local_directory()
    with usable():
        if rules:
            _change(directory, rules, every, never=never, private_too=private_too)
        elif every or never:
            stop("Name the file of rules whose schedule is meant.")
        schedules, runs = read_schedules(directory), read_runs(directory)
    if as_json:
        print_json([_as_json(one, runs.get(one.rules)) for one in schedules.values()])
    else:
        print_lines(_lines(schedules, runs))
    if not rules and any(runs[one].exit_code for one in schedules if one in runs):
        raise typer.Exit(UNSUCCESSFUL)


def _change(
    directory: Path, rules: Path, every: int | None, *, never: bool, private_too: bool
) -> None:
    """Write one schedule, or remove it. Raises MappingUnusable, OSError."""
    if not rules.exists() and not never:
        stop(f"{rules} does not exist.")
    if (every is None) is not never:
        stop("Say either how often (--every HOURS) or --never.")
    schedules, path = read_schedules(directory), str(rules.resolve())
    if every is None:
        if schedules.pop(path, None) is None:
            stop(f"{rules} is on no schedule.")
    else:
        open_source(read_mapping(rules), GuardedHttp())  # or it says what is wrong with the file
        schedules[path] = Schedule(rules=path, hours=every, private_too=private_too)
    write_schedules(directory, schedules)


def _lines(schedules: dict[str, Schedule], runs: dict[str, Run]) -> Iterator[str]:
    if not schedules:
        yield "Nothing is on the schedule: vitrine collection schedule FILE --every HOURS"
    for one in schedules.values():
        yield f"{one.rules}: every {one.hours} hours; {_newest(one, runs.get(one.rules))}"


def _newest(schedule: Schedule, run: Run | None) -> str:
    if run is None:
        return "not updated yet"
    if run.exit_code is None:
        return f"an update began {run.begun}"
    again = rfc3339(next_time(schedule, run))
    how = f"exit code {run.exit_code} ({run.said})" if run.said else f"exit code {run.exit_code}"
    return f"updated {run.begun}: {how}; again {again}"


def _as_json(schedule: Schedule, run: Run | None) -> dict[str, Any]:
    begun: dict[str, Any] = {"begun": None, "exit_code": None, "said": ""}
    return vars(schedule) | (vars(run) if run else begun)
