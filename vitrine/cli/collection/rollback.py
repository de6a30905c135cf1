"""`vitrine collection rollback`: everything as it was at an earlier moment."""

from datetime import datetime
from typing import Annotated

import typer

from vitrine.bootstrap.curation import objects_of
from vitrine.catalogue.rollback import roll_back
from vitrine.cli.collection.display import rolled_back_lines, show_progress
from vitrine.cli.console.environment import DEFAULT, Environment, connected
from vitrine.cli.console.printing import print_json, print_lines, print_message
from vitrine.cli.console.program import UNSUCCESSFUL, AsJson, stop
from vitrine.errors import ObjectRefused
from vitrine.identify.identifier import parse_identifier
from vitrine.store.clock import rfc3339


def rollback(
    identifier: Annotated[
        str, typer.Argument(help="The identifier of a collection.", metavar="ID")
    ],
    to: Annotated[
        str,
        typer.Option(
            "--to",
            help="The moment to go back to, such as 2026-11-23T14:00; `publish` names the one "
            "before it. Without an offset it is in local time.",
            metavar="TIME",
        ),
    ],
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Put a collection and its objects back to what they were at an earlier moment.

    Objects that were not published at that moment are withdrawn. Nothing is deleted: `vitrine
    object history` shows it all. Images and rules of access stay as they are; the command says
    where a collection had another rule then. The next `publish` publishes what the table says.

    Exit code 0: all is as it was. 1: some objects could not be put back, or ID is not a
    collection. 2: the time is not readable, or the service is not running.
    """
    at = _stored_time(to)
    with connected(environment):
        objects = objects_of(environment)
        try:
            with show_progress("objects", None, quiet=as_json) as on_progress:
                done = roll_back(objects, parse_identifier(identifier), at, on_progress)
        except ObjectRefused as error:
            print_message(str(error))
            raise typer.Exit(UNSUCCESSFUL) from None
    if as_json:
        print_json(vars(done) | {"kept_rules": [vars(one) for one in done.kept_rules]})
    else:
        print_lines(rolled_back_lines(done))
    if done.left:
        raise typer.Exit(UNSUCCESSFUL)


def _stored_time(text: str) -> str:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        stop(f"{text!r} is no time: write it as 2026-11-23T14:00 or 2026-11-23T13:00:00Z.")
    return rfc3339(moment.astimezone())
