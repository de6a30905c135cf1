"""`vitrine masters dismiss` and `delete`: what a curator does to masters that are in the bucket."""

from dataclasses import replace
from typing import Annotated

import typer

from vitrine.bootstrap.deployment import Deployment
from vitrine.cli.console.environment import DEFAULT, Environment, connected
from vitrine.cli.console.printing import print_json, print_lines, print_message
from vitrine.cli.console.program import UNSUCCESSFUL, AsJson, stop
from vitrine.errors import ObjectMissing
from vitrine.records import Live, Outcome

MAX_REJECTED = 10_000
"""Rejections that one call dismisses."""

Keys = Annotated[list[str] | None, typer.Argument(help="Keys of masters.", metavar="KEY")]
Key = Annotated[str, typer.Argument(help="The master's key in the bucket.", metavar="KEY")]
Code = Annotated[
    str | None, typer.Option("--reason", help="Take all rejections with this code.", metavar="CODE")
]
All = Annotated[bool, typer.Option("--all", help="Take every rejection.")]
Yes = Annotated[bool, typer.Option("--yes", help="Really delete it.")]


def dismiss(
    keys: Keys = None,
    reason: Code = None,
    every: All = False,
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Take rejections off the lists: named by KEY, all of one --reason, or --all.

    The masters stay as they are. One that is uploaded again is judged again.

    Exit code 0: all that were named are dismissed. 1: some are not rejected. 2: wrong usage, or the
    service is not running.
    """
    if sum((bool(keys), reason is not None, every)) != 1:
        stop("Name one of: KEYs, --reason CODE, or --all.")
    with connected(environment) as service:
        chosen = _rejected(service, keys, reason)
        # A master that was uploaded again meanwhile is not what the curator saw.
        dismissed = [
            outcome.master_key
            for outcome in chosen
            if service.outcomes.record(replace(outcome, dismissed=True))
        ]
    others = sorted(set(keys or ()) - set(dismissed))
    if as_json:
        print_json({"dismissed": dismissed, "not_rejected": others})
    else:
        print_lines(f"{key}: there is no rejection of it on the list." for key in others)
        noun = "rejection" if len(dismissed) == 1 else "rejections"
        print_lines([f"{len(dismissed):,} {noun} dismissed"] if dismissed or not others else [])
    if others or (reason is not None and not dismissed):
        raise typer.Exit(UNSUCCESSFUL)


def _rejected(service: Deployment, keys: list[str] | None, reason: str | None) -> list[Outcome]:
    if keys:
        found = service.outcomes.get_many(keys).values()
        return [outcome for outcome in found if outcome.listed_as == "rejected"]
    listed = service.outcomes.by_state("rejected", MAX_REJECTED)
    return [outcome for outcome in listed if reason in (None, outcome.code)]


def delete(
    key: Key, yes: Yes = False, environment: Environment = DEFAULT, as_json: AsJson = False
) -> None:
    """Delete a master, with your own rights; without --yes, only show what follows.

    The bucket keeps its versions under a delete marker. The image of the master answers 410 once
    the grace period is over, unless the master is uploaded again.

    Exit code 0: deleted. 1: there is no such master, or --yes is missing. 2: the service is not
    running.
    """
    with connected(environment) as service:
        try:
            master = service.masters.head(key)
        except ObjectMissing:
            print_message(f'There is no master "{key}". Its key is its name in the bucket.')
            raise typer.Exit(UNSUCCESSFUL) from None
        images = _images(service, key)
        if yes:
            service.masters.delete(key)
    if as_json:
        print_json({"master_key": key, "bytes": master.size, "images": images, "deleted": yes})
    else:
        print_lines(_describe(key, master.size, images, yes))
    if not yes:
        raise typer.Exit(UNSUCCESSFUL)


def _images(service: Deployment, key: str) -> list[str]:
    """Return the identifiers that answer with this master's image."""
    outcome = service.outcomes.get(key)
    names = (outcome.identifier, *outcome.previous_identifiers) if outcome else ()
    records = service.identifiers.get_many(names) if names else {}
    return sorted(
        record.identifier
        for record in records.values()
        if isinstance(record, Live) and record.master_key == key
    )


def _describe(key: str, size: int, images: list[str], deleted: bool) -> list[str]:
    verb = "was deleted" if deleted else "would be deleted: add --yes"
    lines = [f"{key} ({size:,} bytes) {verb}"]
    for name in images:
        lines.append(f"  {name}: its addresses answer 410 when the grace period is over")
    if not images:
        lines.append("  No image is made from it.")
    lines.append("  Its versions stay in the bucket; uploading it again brings it back.")
    return lines
