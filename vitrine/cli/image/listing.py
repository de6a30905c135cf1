"""`vitrine image list`: what is published, withdrawn or rejected."""

from typing import Annotated, Any

import typer

from vitrine.bootstrap.deployment import Deployment
from vitrine.cli.console.environment import DEFAULT, Environment, connected
from vitrine.cli.console.printing import print_json, print_lines
from vitrine.cli.console.program import AsJson, stop
from vitrine.cli.console.record_words import describe_code, local_time
from vitrine.records import Gone, Live, Outcome, Record, outcome_as_json, record_as_json

SEARCHED = 10_000
"""Newest images that are searched for TEXT."""

Text = Annotated[
    str | None,
    typer.Argument(
        help="List only those whose identifier, master or reason contains TEXT.", metavar="TEXT"
    ),
]
Limit = Annotated[
    int, typer.Option(help="How many to list, the newest first.", min=1, max=SEARCHED)
]


def list_images(
    text: Text = None,
    withdrawn: Annotated[
        bool, typer.Option("--withdrawn", help="List withdrawn images, with their reasons.")
    ] = False,
    rejected: Annotated[
        bool, typer.Option("--rejected", help="List rejected masters that are not dismissed.")
    ] = False,
    limit: Limit = 100,
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """List images, the newest first: those that are live, or those withdrawn or rejected.

    Exit code 0: listed. 2: wrong usage, or the service is not running.
    """
    if withdrawn and rejected:
        stop("Give only one of --withdrawn and --rejected.")
    with connected(environment) as service:
        items = _read(service, withdrawn, rejected, limit if text is None else SEARCHED)
        found = [item for item in items if text is None or _contains(item, text)][:limit]
    if as_json:
        print_json([_as_json(item) for item in found])
        return
    print_lines(line for item in found for line in _lines(item))
    if not found:
        what = "withdrawn image" if withdrawn else "rejected master" if rejected else "image"
        print_lines([f"There is no {what}" + (f' with "{text}".' if text is not None else ".")])
    if len(found) == limit:
        print_lines([f"These are the newest {limit:,}; --limit shows more."])
    elif text is not None and len(items) == SEARCHED:
        print_lines([f"Only the newest {SEARCHED:,} were searched."])


def _read(
    service: Deployment, withdrawn: bool, rejected: bool, limit: int
) -> list[Record] | list[Outcome]:
    if rejected:
        return service.outcomes.by_state("rejected", limit)
    return service.identifiers.by_state("gone" if withdrawn else "live", limit)


def _contains(item: Record | Outcome, text: str) -> bool:
    names = ("identifier", "master_key", "reason", "code", "sentence")
    return any(text.casefold() in str(getattr(item, name, "")).casefold() for name in names)


def _lines(item: Record | Outcome) -> list[str]:
    match item:
        case Live():
            size = f"{item.width:,} x {item.height:,} px"
            published = local_time(item.published_at)
            return [f"{item.identifier}  {size}, published {published}, from {item.master_key}"]
        case Gone():
            return [f"{item.identifier}  withdrawn {local_time(item.changed_at)}: {item.reason}"]
        case Outcome():
            first = f"{item.master_key}  rejected {local_time(item.changed_at)}: {item.sentence}"
            return [first, f"  {describe_code(item.code, item.value)}"]
        case _:
            return []


def _as_json(item: Record | Outcome) -> dict[str, Any]:
    return outcome_as_json(item) if isinstance(item, Outcome) else record_as_json(item)
