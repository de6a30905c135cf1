"""`vitrine image rename`, `withdraw` and `restore`: what a curator does to a published image."""

import time
from collections.abc import Callable
from typing import Annotated, Any

import typer

from vitrine.bootstrap.deployment import Deployment
from vitrine.cli.environment import DEFAULT, Environment, connected
from vitrine.cli.follow import SECONDS_BETWEEN_LOOKS, await_outcome, info_url
from vitrine.cli.printing import print_json, print_lines, show_waiting
from vitrine.cli.program import UNSUCCESSFUL, AsJson, stop
from vitrine.cli.record_words import describe_record
from vitrine.identify.identifier import parse_identifier
from vitrine.ingest.publish.curation import Curation
from vitrine.ports import ObjectInfo
from vitrine.records import Redirect, record_as_json

Id = Annotated[str, typer.Argument(help="The image's identifier.", metavar="ID")]
Reason = Annotated[
    str,
    typer.Option(
        help="Why the image is withdrawn. Everyone who asks for it can read this.", metavar="TEXT"
    ),
]
Timeout = Annotated[
    int, typer.Option(help="How long to wait for the publication, in seconds.", min=1)
]


def register(group: typer.Typer) -> None:
    """Add the commands."""
    for command in (rename, withdraw, restore):
        group.command(command.__name__)(command)


def rename(
    old: Annotated[str, typer.Argument(help="The image's present identifier.", metavar="OLD")],
    new: Annotated[str, typer.Argument(help="Its new identifier.", metavar="NEW")],
    replace_withdrawn: Annotated[
        bool,
        typer.Option(
            "--replace-withdrawn",
            help="Take NEW even if another image was withdrawn under it. That image can then no "
            "longer be restored.",
        ),
    ] = False,
    environment: Environment = DEFAULT,
    timeout: Timeout = 900,
    as_json: AsJson = False,
) -> None:
    """Give an image another identifier; OLD, and whatever redirects to it, then redirect to NEW.

    The master stays under its key: it is copied onto itself with the new identifier and ingested
    again.

    Exit code 0: done. 1: refused, or not published. 2: the service is not running.
    """
    with connected(environment) as service:
        begun = time.monotonic()
        copy = _curation(service).rename(old, new, replace_withdrawn=replace_withdrawn)
        result = _follow(service, copy, parse_identifier(new), begun + timeout)
        if result["state"] == "published":
            deadline = max(begun + timeout, time.monotonic() + 1)
            done = _wait_for(
                lambda: _redirects(service, parse_identifier(old), parse_identifier(new)), deadline
            )
            result["state"] = "renamed" if done else "published"
    _print_result(result | {"old": parse_identifier(old)}, as_json, expected="renamed")


def withdraw(
    identifier: Id,
    reason: Reason,
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Take an image off the web: from now on its addresses answer 410. Its master is not touched.

    A new upload of the master brings it back, and so does `vitrine image restore`.

    Exit code 0: done. 1: refused. 2: the service is not running.
    """
    if not reason.strip():
        stop("--reason is empty: give the reason that people who ask for the image can read.")
    with connected(environment) as service:
        change = _curation(service).withdraw(identifier, reason.strip())
    assert change.after is not None
    if as_json:
        print_json(record_as_json(change.after) | {"made": change.made})
    else:
        state = "withdrawn" if change.made else "was withdrawn already"
        print_lines([f"{change.after.identifier}: {state}", f"  {describe_record(change.after)}"])


def restore(
    identifier: Id,
    environment: Environment = DEFAULT,
    timeout: Timeout = 900,
    as_json: AsJson = False,
) -> None:
    """Bring a withdrawn image back from its master, which is ingested again.

    Exit code 0: it is live. 1: refused, or not published. 2: the service is not running.
    """
    with connected(environment) as service:
        begun = time.monotonic()
        copy = _curation(service).restore(identifier)
        result = _follow(service, copy, parse_identifier(identifier), begun + timeout)
    _print_result(result, as_json, expected="published")


def _curation(service: Deployment) -> Curation:
    return Curation(register=service.register, masters=service.masters, outcomes=service.outcomes)


def _follow(
    service: Deployment, copy: ObjectInfo | None, identifier: str, deadline: float
) -> dict[str, Any]:
    result: dict[str, Any] = {
        "identifier": identifier,
        "state": "published",
        "sentence": "",
        "info_url": info_url(service.edge_url, identifier),
    }
    if copy is None:
        return result
    with show_waiting(f"{identifier}: waiting until it is published …"):
        outcome, ended = await_outcome(service, copy, deadline)
    sentence = outcome.sentence if outcome and ended in ("rejected", "failed") else ""
    return result | {"state": ended, "sentence": sentence}


def _redirects(service: Deployment, old: str, new: str) -> bool:
    record = service.identifiers.get(old)
    return isinstance(record, Redirect) and record.target == new


def _wait_for(condition: Callable[[], bool], deadline: float) -> bool:
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(SECONDS_BETWEEN_LOOKS)
    return True


def _print_result(result: dict[str, Any], as_json: bool, expected: str) -> None:
    if as_json:
        print_json(result)
    else:
        renamed = result["state"] == "renamed"
        redirect = f", and {result['old']} redirects to it" if renamed else ""
        lines = [f"{result['identifier']}: {result['state']}{redirect}"]
        lines += [f"  {result[name]}" for name in ("sentence", "info_url") if result[name]]
        print_lines(lines)
    if result["state"] != expected:
        raise typer.Exit(UNSUCCESSFUL)
