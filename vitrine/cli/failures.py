"""`vitrine failures`: what failed for reasons of ours, and once more from the start."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.console import Console

from vitrine.bootstrap.deployment import Deployment
from vitrine.cli.environment import DEFAULT, UNSUCCESSFUL, AsJson, Environment, connected, stop
from vitrine.ingest.repair.failures import Failure, FailureServices

MASTER = "A master's key, its identifier or the execution; of a message the ID it is listed by."
Master = Annotated[str, typer.Argument(help=MASTER, metavar="MASTER|ID")]
OneMaster = Annotated[str | None, typer.Argument(help=MASTER, metavar="MASTER|ID")]
Reason = Annotated[
    str | None, typer.Option("--reason", help="Only failures with this code.", metavar="CODE")
]
All = Annotated[bool, typer.Option("--all", help="Every failure.")]
Id = Annotated[str, typer.Argument(help="What `vitrine failures list` calls it.", metavar="ID")]
Yes = Annotated[bool, typer.Option("--yes", help="Really: nobody has another copy.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be redriven, do nothing.")]


def register(app: typer.Typer) -> None:
    """Add the group of verbs."""
    group = typer.Typer(
        help="List, show, redrive and discard what failed for reasons that are not the master's.",
        no_args_is_help=True,
    )
    for verb in (list_failures, show, redrive, discard):
        group.command(verb.__name__.removesuffix("_failures"))(verb)
    app.add_typer(group, name="failures")


def list_failures(
    reason: Reason = None, environment: Environment = DEFAULT, as_json: AsJson = False
) -> None:
    """List failures, newest first, and count them by code.

    Exit code 0: there are none. 1: there are some. 2: the service is not running.
    """
    with connected(environment) as service, _taken(service) as (_, failures):
        found = [item for item in failures if reason in (None, item.code)]
    _print_failures(found, as_json, _summary(found))
    if found:
        raise typer.Exit(UNSUCCESSFUL)


def show(master: Master, environment: Environment = DEFAULT, as_json: AsJson = False) -> None:
    """Show all that is known of the failures of one master, or of one message.

    Exit code 0: shown. 1: it has none. 2: the service is not running.
    """
    with connected(environment) as service, _taken(service) as (_, failures):
        found = [item for item in failures if _is(item, master)]
    if as_json:
        print(json.dumps([_as_json(item) for item in found], indent=2, ensure_ascii=False))
    else:
        _print([line for item in found for line in _long_lines(item)] or [f"{master}: no failure"])
    if not found:
        raise typer.Exit(UNSUCCESSFUL)


def redrive(
    master: OneMaster = None,
    reason: Reason = None,
    every: All = False,
    dry_run: DryRun = False,
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Give failed masters to the pipeline again: one MASTER, all of one --reason, or --all.

    They start like uploads do, as they are in the store now; `vitrine status` follows them. A
    message that a worker failed at goes back into the worker's queue.

    Exit code 0: all that were asked for are redriven. 1: some cannot be, or there was none.
    2: wrong usage, or the service is not running.
    """
    if sum((master is not None, reason is not None, every)) != 1:
        stop("say which: a MASTER, --reason CODE or --all.")
    with connected(environment) as service, _taken(service) as (services, failures):
        found = [
            item
            for item in failures
            if every or (_is(item, master) if master is not None else item.code == reason)
        ]
        redriven = [item for item in found if item.redrivable]
        if not dry_run:
            for item in redriven:
                services.redrive(item)
    verb = "would be redriven" if dry_run else "redriven"
    _print_failures(redriven, as_json, f"{len(redriven):,} of {len(found):,} {verb}")
    if not redriven or len(redriven) < len(found):
        raise typer.Exit(UNSUCCESSFUL)


def discard(
    message: Id, yes: Yes = False, environment: Environment = DEFAULT, as_json: AsJson = False
) -> None:
    """Delete a message that names no master, for good; without --yes, only show it.

    Exit code 0: discarded. 1: there is none with this ID, or --yes is missing. 2: it names a
    master and is to be redriven, or the service is not running.
    """
    with connected(environment) as service, _taken(service) as (services, failures):
        found = [item for item in failures if _is(item, message)]
        if any(item.master_key for item in found):
            stop(f"{message} names a master: see `vitrine failures redrive`.")
        if yes:
            for item in found:
                services.discard(item)
    verb = "discarded" if yes else "to be discarded: add --yes"
    _print_failures(found, as_json, f"{len(found):,} {verb}")
    if not (found and yes):
        raise typer.Exit(UNSUCCESSFUL)


@contextmanager
def _taken(service: Deployment) -> Iterator[tuple[FailureServices, list[Failure]]]:
    """All failures, hidden from others meanwhile; what is still there afterwards is given back."""
    services = FailureServices(
        failures=service.failures,
        dead_letters=service.dead_letters,
        uploads=service.uploads,
        outcomes=service.outcomes,
        workers=service.workers,
    )
    failures = services.take()
    try:
        yield services, failures
    finally:
        services.give_back(failures)


def _is(failure: Failure, name: str) -> bool:
    names = (failure.master_key, failure.identifier, failure.execution, failure.message_id)
    return bool(name) and name in names


def _summary(failures: list[Failure]) -> str:
    counts = Counter(item.code for item in failures).most_common()
    by_code = ", ".join(f"{count:,} {code}" for code, count in counts)
    noun = "failure" if len(failures) == 1 else "failures"
    return f"{len(failures):,} {noun}" + (f": {by_code}" if counts else "")


def _print_failures(failures: list[Failure], as_json: bool, summary: str) -> None:
    if as_json:
        print(json.dumps([_as_json(item) for item in failures], indent=2, ensure_ascii=False))
    else:
        _print([*(_line(item) for item in failures), summary])


def _print(lines: list[str]) -> None:
    Console(soft_wrap=True).print("\n".join(lines), markup=False, highlight=False)


def _line(failure: Failure) -> str:
    worker = f"{failure.worker.name}  " if failure.worker else ""
    what = failure.master_key or f"{failure.message_id}  {worker}{failure.value}"
    return f"{failure.failed_at}  {failure.code}  {what}"


def _long_lines(failure: Failure) -> Iterator[str]:
    yield f"{failure.master_key or failure.message_id}: {failure.code} {failure.failed_at}"
    yield f"  {failure.sentence}"
    if failure.value:
        whole = failure.message.body if failure.message_id and failure.message else failure.value
        yield f"  seen: {whole}"
    if failure.identifier:
        yield f"  identifier {failure.identifier}"
    if failure.execution:
        yield f"  execution {failure.execution}"
    yield f"  kept in {failure.kept_in}"


def _as_json(failure: Failure) -> dict[str, Any]:
    return {
        "master_key": failure.master_key,
        "identifier": failure.identifier,
        "code": failure.code,
        "sentence": failure.sentence,
        "value": failure.value,
        "failed_at": failure.failed_at,
        "execution": failure.execution,
        "kept_in": failure.kept_in,
        "redrivable": failure.redrivable,
        "message_id": failure.message_id,
    }
