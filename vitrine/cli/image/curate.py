"""What a curator does to an image: `vitrine image rename`, `replace`, `withdraw`, and so on."""

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from vitrine.bootstrap.curation import curation_of, own_curation
from vitrine.bootstrap.deployed_services import deployed_publisher
from vitrine.bootstrap.deployment import Deployment
from vitrine.catalogue.publisher import Publisher
from vitrine.catalogue.records import painted_images
from vitrine.cli.console.environment import DEFAULT, Environment, connected
from vitrine.cli.console.printing import print_json, print_lines, show_waiting
from vitrine.cli.console.program import UNSUCCESSFUL, AsJson, stop
from vitrine.cli.console.record_words import describe_record
from vitrine.cli.upload.display import print_result
from vitrine.cli.upload.follow import (
    SECONDS_BETWEEN_LOOKS,
    await_outcome,
    info_url,
    upload_and_follow,
)
from vitrine.identify.identifier import parse_identifier
from vitrine.ports import ObjectInfo
from vitrine.records import Gone, Redirect, record_as_json

OBJECTS_SHOWN = 10
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
    for command in (rename, replace, withdraw, restore):
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
        copy = curation_of(service).rename(old, new, replace_withdrawn=replace_withdrawn)
        if parse_identifier(old) == parse_identifier(new):
            _print_unchanged(service, new, "has that name already; nothing was changed", as_json)
            return
        result = _follow(service, copy, parse_identifier(new), begun + timeout)
        if result["state"] == "published":
            deadline = max(begun + timeout, time.monotonic() + 1)
            done = _wait_for(
                lambda: _redirects(service, parse_identifier(old), parse_identifier(new)), deadline
            )
            result["state"] = "renamed" if done else "published"
        elif result["state"] == "rejected":
            result["sentence"] += f" {parse_identifier(old)} stays as it was, and keeps its name."
    _print_result(result | {"old": parse_identifier(old)}, as_json, expected="renamed")


def replace(
    identifier: Id,
    file: Annotated[
        Path,
        typer.Argument(help="The new master.", metavar="FILE", exists=True, dir_okay=False),
    ],
    environment: Environment = DEFAULT,
    timeout: Timeout = 900,
    as_json: AsJson = False,
) -> None:
    """Replace the picture of an image by another file; its identifier and rules stay.

    The file is uploaded under the key of the image's master, whatever its own name is; earlier
    versions of the master are kept. The next publication of the image's collection uploads what
    the collection's folder has: replace the file there as well.

    Exit code 0: the new picture is published. 1: refused, or not published. 2: the service is not
    running.
    """
    with connected(environment) as service:
        name = parse_identifier(identifier)
        image = own_curation(service).live_image(name)
        with show_waiting(f"{name}: waiting until it is published …"):
            result = upload_and_follow(service, file, name, timeout, key=image.master_key)
    if as_json:
        print_json(result.as_json())
    else:
        print_result(result)
    if result.state != "published":
        raise typer.Exit(UNSUCCESSFUL)


def withdraw(
    identifier: Id,
    reason: Reason,
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Take an image off the web: from now on its addresses answer 410. Its master is not touched.

    It stays withdrawn until `vitrine image restore`: uploads of it are rejected.

    Exit code 0: done. 1: refused. 2: the service is not running.
    """
    if not reason.strip():
        stop("--reason is empty: give the reason that people who ask for the image can read.")
    with connected(environment) as service:
        change = curation_of(service).withdraw(identifier, reason.strip())
        assert change.after is not None
        objects = _list_objects(deployed_publisher(environment), change.after.identifier)
    repeated = isinstance(change.replaced, Gone) and change.replaced.reason == reason.strip()
    if as_json:
        print_json(record_as_json(change.after) | {"made": not repeated, "objects": objects})
    else:
        state = "was withdrawn already" if repeated else "withdrawn"
        print_lines([f"{change.after.identifier}: {state}", f"  {describe_record(change.after)}"])
        print_lines(_objects_lines(objects))


def _list_objects(publisher: Publisher, image: str) -> list[str]:
    """Return the objects that have an image among their pages."""
    names = {image, *(one.identifier for one in publisher.identifiers.redirects_to(image))}
    return sorted(
        {
            user
            for user in publisher.objects_with(image)
            if names & painted_images(publisher.journal.latest(user))
        }
    )


def _objects_lines(objects: Sequence[str]) -> Iterator[str]:
    """Yield what becomes of the objects that show a withdrawn image."""
    if objects:
        shown = ", ".join(objects[:OBJECTS_SHOWN])
        more = f" and {len(objects) - OBJECTS_SHOWN:,} more" if len(objects) > OBJECTS_SHOWN else ""
        yield f"  Shown without it within a minute or so: {shown}{more}"
        yield (
            "  An object without another image answers 410 as well. `vitrine object withdraw ID` "
            "takes any other off the web."
        )


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
        copy = curation_of(service).restore(identifier)
        if copy is None:
            _print_unchanged(service, identifier, "is live; there is nothing to restore", as_json)
            return
        result = _follow(service, copy, parse_identifier(identifier), begun + timeout)
    _print_result(result, as_json, expected="published")


def _follow(
    service: Deployment, copy: ObjectInfo | None, identifier: str, deadline: float
) -> dict[str, Any]:
    result: dict[str, Any] = {
        "identifier": identifier,
        "state": "published",
        "sentence": "",
        "info_url": info_url(service.edge_url, identifier),
    }
    if copy is None:  # renamed before
        return result
    with show_waiting(f"{identifier}: waiting until it is published …"):
        outcome, ended = await_outcome(service, copy, deadline)
    if ended == "published":
        return result
    sentence = outcome.sentence if outcome and ended in ("rejected", "failed") else ""
    return result | {"state": ended, "sentence": sentence, "info_url": ""}


def _print_unchanged(service: Deployment, identifier: str, state: str, as_json: bool) -> None:
    name = parse_identifier(identifier)
    if as_json:
        address = info_url(service.edge_url, name)
        print_json({"identifier": name, "state": "unchanged", "info_url": address})
    else:
        print_lines([f"{name} {state}."])


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
