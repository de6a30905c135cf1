"""`vitrine identifier`: what an identifier answers, and what it ever was."""

import json
from typing import Annotated, Any

import typer
from rich.console import Console

from vitrine.bootstrap.deployment import Deployment
from vitrine.cli.environment import DEFAULT, UNSUCCESSFUL, AsJson, Environment, connected
from vitrine.errors import IdentifierRefused
from vitrine.identify.identifier import parse_identifier
from vitrine.identify.redirects.chains import follow_chain
from vitrine.identify.resolve import MovedTo, Resolution, Serve, Withdrawn, resolve
from vitrine.records import Gone, Live, Record, Redirect, Removed, record_as_json

Id = Annotated[str, typer.Argument(help="An identifier.", metavar="ID")]


def register(app: typer.Typer) -> None:
    """Add the group of verbs."""
    group = typer.Typer(help="Show what an identifier is, and what it was.", no_args_is_help=True)
    group.command("show")(show)
    group.command("history")(history)
    app.add_typer(group, name="identifier")


def show(identifier: Id, environment: Environment = DEFAULT, as_json: AsJson = False) -> None:
    """Show what an identifier answers now.

    Exit code 0: an image, or what leads to one. 1: anything else. 2: the service is not running.
    """
    with connected(environment) as service:
        name = parse_identifier(identifier)
        record = service.identifiers.get(name)
        resolution = _resolve_record(service, record)
    answers = {Serve: 200, MovedTo: 301, Withdrawn: 410}.get(type(resolution), 404)
    if as_json:
        print_json({"answers": answers, **(record_as_json(record) if record else {})})
    else:
        print_lines([f"{name}: answers {answers}", f"  {told(record)}"])
    if answers not in (200, 301):
        raise typer.Exit(UNSUCCESSFUL)


def history(identifier: Id, environment: Environment = DEFAULT, as_json: AsJson = False) -> None:
    """Show all that an identifier ever was, oldest first, from the journal.

    Exit code 0: shown. 1: it never was anything. 2: the service is not running.
    """
    with connected(environment) as service:
        records = service.register.journal.history(parse_identifier(identifier))
    if as_json:
        print_json([record_as_json(record) for record in records])
    else:
        lines = [f"{item.changed_at}  {item.revision:>3}  {told(item)}" for item in records]
        print_lines(lines or [f"{identifier}: never was anything"])
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


def told(record: Record | None) -> str:
    """One line about a record."""
    match record:
        case Live():
            size = f"{record.width:,} x {record.height:,} px"
            return f"live: {size} of {record.master_key}, version {record.version}"
        case Redirect():
            return f"redirect to {record.target}" + (f" ({record.note})" if record.note else "")
        case Gone():
            return f"gone since {record.changed_at}: {record.reason}"
        case Removed():
            return "no redirect any more"
        case None:
            return "never was anything"


def print_lines(lines: list[str]) -> None:
    """For people."""
    Console(soft_wrap=True).print("\n".join(lines), markup=False, highlight=False)


def print_json(document: Any) -> None:
    """For machines."""
    print(json.dumps(document, indent=2, ensure_ascii=False))
