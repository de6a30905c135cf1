"""`vitrine access image`: how much of an image everybody may see."""

from functools import partial
from typing import Annotated

import typer

from vitrine.access.rules import INHERITED, read_rule
from vitrine.bootstrap.curation import curation_of
from vitrine.bootstrap.deployed_services import deployed_publisher
from vitrine.bootstrap.deployment import Deployment
from vitrine.cli.access.rights import read_rights
from vitrine.cli.console.environment import DEFAULT, Environment, connected
from vitrine.cli.console.printing import print_json, print_lines, print_message
from vitrine.cli.console.program import AsJson
from vitrine.cli.console.record_words import describe_origin
from vitrine.cli.image.curate import Id
from vitrine.identify.effective_rule import effective, has_own_rule, rules_of_collections
from vitrine.identify.identifier import parse_identifier
from vitrine.records import Record


def restrict_image(
    identifier: Id,
    rule: Annotated[
        str,
        typer.Argument(
            help="open; closed; the name of a right, such as staff; or small: and the most pixels "
            "that the longer side may have, such as small:1000 or small:1000:staff. inherited: the "
            "rules of the collections that it is in. Without RULE, the current one is shown.",
            metavar="RULE",
        ),
    ] = "",
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Say how much of an image everybody may see, now or as soon as it is uploaded.

    The rule stays when the image is renamed, replaced, withdrawn or restored. Addresses stay as
    they are: what is not shown answers 403. The change holds within a minute and a half; browsers
    and caches that are not ours may show what they have for up to five minutes.

    Exit code 0: done. 1: refused. 2: the service is not running.
    """
    with connected(environment) as service:
        name = parse_identifier(identifier)
        if rule:
            record, made = _change_rule(service, environment, name, rule)
        else:
            record, made = service.identifiers.get(name), False
        rules = service.rules()
        said = (effective(record, rules) if record else "") or "open"
        right = read_rule(said).right
        is_unknown = bool(right) and right not in read_rights(service)
    if as_json:
        collections = rules_of_collections(record, rules) if record else {}
        is_own = record is not None and has_own_rule(record)
        print_json(
            {
                "identifier": name,
                "access": said,
                "is_own": is_own,
                "collections": collections,
                "made": made,
            }
        )
    else:
        already = " already" if rule and not made else ""
        print_lines([f"{name}: {said}{already}{describe_origin(record, rules)}"])
    if rule and is_unknown:
        print_message(
            f"Nobody has the right {right} yet: `vitrine access rights use` says who has it."
        )


def _change_rule(
    service: Deployment, environment: str, identifier: str, rule: str
) -> tuple[Record | None, bool]:
    """Set the rule of an image, and return its record and whether that changed it."""
    curation = curation_of(service)
    if rule.strip().lower() == INHERITED:
        memberships = deployed_publisher(environment).memberships
        change = curation.inherit(
            identifier, partial(memberships.collections.following, identifier)
        )
    else:
        change = curation.set_access(identifier, rule)
    return change.after, change.made
