"""`vitrine rename`, `withdraw` and `restore`: what a curator does to a published image."""

import time
from collections.abc import Callable
from typing import Annotated, Any

import typer
from rich.console import Console

from vitrine.bootstrap.deployment import Deployment
from vitrine.cli.environment import DEFAULT, UNSUCCESSFUL, AsJson, Environment, connected, stop
from vitrine.cli.follow import SECONDS_BETWEEN_LOOKS, await_outcome, info_url
from vitrine.cli.identifier import Id, print_json, print_lines, told
from vitrine.identify.identifier import parse_identifier
from vitrine.ingest.publish.curation import Curated
from vitrine.ports import ObjectInfo
from vitrine.records import Redirect, record_as_json

Reason = Annotated[
    str, typer.Option(help="Why; everybody who asks for the image is told.", metavar="TEXT")
]
Timeout = Annotated[int, typer.Option(help="Seconds to wait for the publication.", min=1)]


def register(app: typer.Typer) -> None:
    """Add the verbs."""
    for verb in (rename, withdraw, restore):
        app.command(verb.__name__)(verb)


def rename(
    old: Annotated[str, typer.Argument(help="The image's identifier.", metavar="OLD")],
    new: Annotated[str, typer.Argument(help="Its new identifier.", metavar="NEW")],
    replace_withdrawn: Annotated[
        bool,
        typer.Option("--replace-withdrawn", help="Even if NEW is another, withdrawn image."),
    ] = False,
    environment: Environment = DEFAULT,
    timeout: Timeout = 900,
    as_json: AsJson = False,
) -> None:
    """Give an image another identifier; the old one, and what led to it, redirects to the new.

    The master stays under its key: it is copied onto itself with the new identifier, and ingested
    once more. Exit code 0: done. 1: refused, or not published. 2: the service is not running.
    """
    with connected(environment) as service:
        begun = time.monotonic()
        copy = _curated(service).rename(old, new, replace_withdrawn=replace_withdrawn)
        result = _follow(service, copy, parse_identifier(new), begun + timeout)
        if result["state"] == "published":
            deadline = max(begun + timeout, time.monotonic() + 1)
            led = _wait_for(
                lambda: _leads(service, parse_identifier(old), parse_identifier(new)), deadline
            )
            result["state"] = "renamed" if led else "published"
    _end(result | {"old": parse_identifier(old)}, as_json, wanted="renamed")


def withdraw(
    identifier: Id,
    reason: Reason,
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Take an image off the web, without touching its master: its addresses answer 410 from now on.

    A new upload of the master revives it, and so does `vitrine restore`. Exit code 0: done.
    1: refused. 2: the service is not running.
    """
    if not reason.strip():
        stop("--reason is empty: viewers are told why.")
    with connected(environment) as service:
        change = _curated(service).withdraw(identifier, reason.strip())
    assert change.after is not None
    if as_json:
        print_json(record_as_json(change.after) | {"made": change.made})
    else:
        verb = "withdrawn" if change.made else "was withdrawn already"
        print_lines([f"{change.after.identifier}: {verb}", f"  {told(change.after)}"])


def restore(
    identifier: Id,
    environment: Environment = DEFAULT,
    timeout: Timeout = 900,
    as_json: AsJson = False,
) -> None:
    """Bring a withdrawn image back from its master, which is ingested once more.

    Exit code 0: it is live. 1: refused, or not published. 2: the service is not running.
    """
    with connected(environment) as service:
        begun = time.monotonic()
        copy = _curated(service).restore(identifier)
        result = _follow(service, copy, parse_identifier(identifier), begun + timeout)
    _end(result, as_json, wanted="published")


def _curated(service: Deployment) -> Curated:
    return Curated(register=service.register, masters=service.masters, outcomes=service.outcomes)


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
    with Console(stderr=True).status(f"{identifier}: waiting for its publication …"):
        outcome, ended = await_outcome(service, copy, deadline)
    sentence = outcome.sentence if outcome and ended in ("rejected", "failed") else ""
    return result | {"state": ended, "sentence": sentence}


def _leads(service: Deployment, old: str, new: str) -> bool:
    record = service.identifiers.get(old)
    return isinstance(record, Redirect) and record.target == new


def _wait_for(happened: Callable[[], bool], deadline: float) -> bool:
    while not happened():
        if time.monotonic() > deadline:
            return False
        time.sleep(SECONDS_BETWEEN_LOOKS)
    return True


def _end(result: dict[str, Any], as_json: bool, wanted: str) -> None:
    if as_json:
        print_json(result)
    else:
        former = f", and {result['old']} redirects to it" if result["state"] == "renamed" else ""
        lines = [f"{result['identifier']}: {result['state']}{former}"]
        lines += [f"  {result[name]}" for name in ("sentence", "info_url") if result[name]]
        print_lines(lines)
    if result["state"] != wanted:
        raise typer.Exit(UNSUCCESSFUL)
