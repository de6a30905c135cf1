"""`vitrine image`: one image by its identifier, what that answers, and what it ever was."""

from typing import Annotated

import typer

from vitrine.bootstrap.deployment import Deployment
from vitrine.cli.console.environment import DEFAULT, Environment, connected
from vitrine.cli.console.printing import print_json, print_lines
from vitrine.cli.console.program import UNSUCCESSFUL, AsJson, new_group
from vitrine.cli.console.record_words import describe_record
from vitrine.cli.image import curate as image_curate
from vitrine.cli.image.listing import list_images
from vitrine.errors import IdentifierRefused
from vitrine.identify.identifier import parse_identifier
from vitrine.identify.redirects.chains import follow_chain
from vitrine.identify.resolve import MovedTo, Resolution, Serve, WithdrawnIdentifier, resolve
from vitrine.records import Record, Redirect, record_as_json

Id = Annotated[str, typer.Argument(help="An identifier.", metavar="ID")]


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = new_group("Rename, replace, withdraw or look up an image.")
    group.command("list")(list_images)
    group.command("show")(show)
    group.command("history")(history)
    image_curate.register(group)
    app.add_typer(group, name="image")


def show(identifier: Id, environment: Environment = DEFAULT, as_json: AsJson = False) -> None:
    """Show what the edge answers for an identifier now.

    `vitrine status ID` shows what became of the image's master.

    Exit code 0: an image, or a redirect to one. 1: anything else. 2: the service is not running.
    """
    with connected(environment) as service:
        name = parse_identifier(identifier)
        record = service.identifiers.get(name)
        resolution = _resolve_record(service, record)
    status = {Serve: 200, MovedTo: 301, WithdrawnIdentifier: 410}.get(type(resolution), 404)
    if as_json:
        print_json({"answers": status, **(record_as_json(record) if record else {})})
    else:
        print_lines([f"{name}: answers {status}", f"  {describe_record(record)}"])
    if status not in (200, 301):
        raise typer.Exit(UNSUCCESSFUL)


def history(identifier: Id, environment: Environment = DEFAULT, as_json: AsJson = False) -> None:
    """Show everything an identifier has been, oldest first, from the journal.

    Exit code 0: shown. 1: it was never used. 2: the service is not running.
    """
    with connected(environment) as service:
        records = service.register.journal.history(parse_identifier(identifier))
    if as_json:
        print_json([record_as_json(record) for record in records])
    else:
        lines = [
            f"{record.changed_at}  {record.revision:>3}  {describe_record(record)}"
            for record in records
        ]
        print_lines(lines or [f"{identifier} was never used as an identifier."])
    if not records:
        raise typer.Exit(UNSUCCESSFUL)


def _resolve_record(service: Deployment, record: Record | None) -> Resolution:
    if not isinstance(record, Redirect):
        return resolve(record)
    try:
        end = follow_chain(service.identifiers.get, record.target, away_from=record.identifier)
    except IdentifierRefused:
        return resolve(None)
    return resolve(record, end[1])
