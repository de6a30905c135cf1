"""`vitrine access collection`: who may see the images of a collection's members."""

from typing import Annotated, NoReturn

import msgspec
import typer

from vitrine.bootstrap.curation import objects_of
from vitrine.bootstrap.deployed_services import deployed_publisher
from vitrine.catalogue.records import Described
from vitrine.cli.console.environment import DEFAULT, Environment, connected
from vitrine.cli.console.printing import print_json, print_lines, print_message
from vitrine.cli.console.program import UNSUCCESSFUL, AsJson
from vitrine.errors import ObjectRefused, RevisionChanged
from vitrine.identify.identifier import parse_identifier
from vitrine.iiif.presentation.model import ObjectCollection

Id = Annotated[str, typer.Argument(help="The identifier of a collection.", metavar="ID")]
Rule = Annotated[
    str,
    typer.Argument(
        help="A rule, as for `vitrine access image`; open: the collection no longer restricts "
        "anything. Without RULE, the current one is shown.",
        metavar="RULE",
    ),
]


def restrict_collection(
    identifier: Id,
    rule: Rule = "",
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Say how much of the images of a collection's members everybody may see.

    The rule covers the images of all objects in the collection, of those that join later, and of
    those in collections inside it. An image with a rule of its own (`vitrine access image`) keeps
    that. Images are under the rule within a minute and a half; pages and lists that name them
    follow in slices. docs/howto/restrict-images.md has the details.

    Exit code 0: done. 1: refused. 2: the service is not running.
    """
    with connected(environment):
        name = parse_identifier(identifier)
        publisher = deployed_publisher(environment)
        record = publisher.journal.latest(name)
        if not isinstance(record, Described) or not isinstance(record.item, ObjectCollection):
            _refuse(f'There is no collection "{name}"; check its spelling.')
        item, made = record.item, False
        if rule:
            ruled = msgspec.structs.replace(item, access=rule.strip().lower())
            try:
                result = objects_of(environment).put(ruled, over=record.revision)
            except (ObjectRefused, RevisionChanged) as error:
                _refuse(" ".join((str(error), *getattr(error, "faults", ()))))
            item, made = ruled, result.changed
    said = item.access or "open"
    if as_json:
        print_json({"identifier": name, "access": said, "made": made})
    else:
        print_lines([f"{name}: {said}{' already' if rule and not made else ''}"])


def _refuse(sentence: str) -> NoReturn:
    print_message(sentence)
    raise typer.Exit(UNSUCCESSFUL)
