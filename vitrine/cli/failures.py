"""`vitrine failures`: what failed though the master is sound, and how to try it again."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from vitrine.bootstrap.deployment import Deployment
from vitrine.cli.console.environment import DEFAULT, Environment, connected
from vitrine.cli.console.printing import print_json, print_lines
from vitrine.cli.console.program import UNSUCCESSFUL, AsJson, new_group, stop
from vitrine.ingest.repair.failures import Failure, FailureServices

MASTER = "A master's key, its identifier or its execution; for a message, the ID in the list."
Master = Annotated[str, typer.Argument(help=MASTER, metavar="MASTER|ID")]
OneMaster = Annotated[str | None, typer.Argument(help=MASTER, metavar="MASTER|ID")]
Reason = Annotated[
    str | None,
    typer.Option("--reason", help="Take only the failures with this code.", metavar="CODE"),
]
All = Annotated[bool, typer.Option("--all", help="Take every failure.")]
Id = Annotated[
    str, typer.Argument(help="The message's ID in `vitrine failures list`.", metavar="ID")
]
Yes = Annotated[bool, typer.Option("--yes", help="Really delete it: there is no other copy.")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Print what would be redriven, but do nothing.")
]


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = new_group("Look at ingests that failed, and try again.")
    for command in (list_failures, show, redrive, discard):
        group.command(command.__name__.removesuffix("_failures"))(command)
    app.add_typer(group, name="failures")


def list_failures(
    reason: Reason = None, environment: Environment = DEFAULT, as_json: AsJson = False
) -> None:
    """List failures, newest first, and count them by code.

    Exit code 0: there is no failure. 1: there are some. 2: the service is not running.
    """
    with connected(environment) as service, _take_failures(service) as (_, failures):
        chosen = [item for item in failures if reason in (None, item.code)]
    _print_failures(chosen, as_json, _summary(chosen))
    if chosen:
        raise typer.Exit(UNSUCCESSFUL)


def show(master: Master, environment: Environment = DEFAULT, as_json: AsJson = False) -> None:
    """Show everything known about the failures of one master, or about one message.

    Exit code 0: shown. 1: it has none. 2: the service is not running.
    """
    with connected(environment) as service, _take_failures(service) as (_, failures):
        chosen = [item for item in failures if _is_named(item, master)]
    if as_json:
        print_json([_as_json(item) for item in chosen])
    else:
        lines = [line for item in chosen for line in _long_lines(item)]
        print_lines(lines or [_none(master)])
    if not chosen:
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

    They start like uploads, in the version that the bucket holds now; `vitrine status` shows
    them. A message that a worker failed on goes back into that worker's queue.

    Exit code 0: all that were named are redriven. 1: some cannot be, or nothing was found.
    2: wrong usage, or the service is not running.
    """
    if sum((master is not None, reason is not None, every)) != 1:
        stop("Name one of: a MASTER, --reason CODE, or --all.")
    with connected(environment) as service, _take_failures(service) as (services, failures):
        chosen = [
            item
            for item in failures
            if every or (_is_named(item, master) if master is not None else item.code == reason)
        ]
        redriven = [item for item in chosen if item.redrivable]
        if not dry_run:
            for item in redriven:
                services.redrive(item)
    if not chosen and not as_json:
        what = "There is no failure." if master is None else _none(master)
        print_lines([what if reason is None else f"There is no failure with the code {reason}."])
        raise typer.Exit(UNSUCCESSFUL)
    verb = "would be redriven" if dry_run else "redriven"
    _print_failures(redriven, as_json, f"{len(redriven):,} of {len(chosen):,} {verb}")
    if not redriven or len(redriven) < len(chosen):
        raise typer.Exit(UNSUCCESSFUL)


def discard(
    message: Id, yes: Yes = False, environment: Environment = DEFAULT, as_json: AsJson = False
) -> None:
    """Delete for good a message that names no master; without --yes, only show it.

    Exit code 0: discarded. 1: no message has this ID, or --yes is missing. 2: it names a master,
    so redrive it instead; or the service is not running.
    """
    with connected(environment) as service, _take_failures(service) as (services, failures):
        chosen = [item for item in failures if _is_named(item, message)]
        if any(item.master_key for item in chosen):
            stop(f"{message} names a master: use `vitrine failures redrive` instead.")
        if yes:
            for item in chosen:
                services.discard(item)
    if not chosen and not as_json:
        print_lines([f"{message}: there is no message with this ID in `vitrine failures list`."])
        raise typer.Exit(UNSUCCESSFUL)
    verb = "discarded" if yes else "to be discarded: add --yes"
    _print_failures(chosen, as_json, f"{len(chosen):,} {verb}")
    if not (chosen and yes):
        raise typer.Exit(UNSUCCESSFUL)


@contextmanager
def _take_failures(service: Deployment) -> Iterator[tuple[FailureServices, list[Failure]]]:
    """Yield all failures, hidden from others meanwhile; give those that remain back afterwards."""
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


def _none(name: str) -> str:
    return f"{name}: there is no failure of this name; `vitrine failures list` shows all."


def _is_named(failure: Failure, name: str) -> bool:
    names = (failure.master_key, failure.identifier, failure.execution, failure.message_id)
    return bool(name) and name in names


def _summary(failures: list[Failure]) -> str:
    if not failures:
        return "There is no failure."
    counts = Counter(item.code for item in failures).most_common()
    by_code = ", ".join(f"{count:,} {code}" for code, count in counts)
    noun = "failure" if len(failures) == 1 else "failures"
    return f"{len(failures):,} {noun}: {by_code}"


def _print_failures(failures: list[Failure], as_json: bool, summary: str) -> None:
    if as_json:
        print_json([_as_json(item) for item in failures])
    else:
        print_lines([*(_line(item) for item in failures), summary])


def _line(failure: Failure) -> str:
    worker = f"{failure.worker.name}  " if failure.worker else ""
    what = failure.master_key or f"{failure.message_id}  {worker}{failure.value}"
    return f"{failure.failed_at}  {failure.code}  {what}"


def _long_lines(failure: Failure) -> Iterator[str]:
    yield f"{failure.master_key or failure.message_id}: {failure.code} {failure.failed_at}"
    yield f"  {failure.sentence}"
    if failure.value:
        whole = failure.message.body if failure.message_id and failure.message else failure.value
        yield f"  found: {whole}"
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
