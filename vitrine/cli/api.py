"""`vitrine api`: where programs find the same controllers as these commands."""

import typer

from vitrine.api.application import OPERATIONS
from vitrine.api.openapi import document
from vitrine.bootstrap.deployed_services import ApiDoor, api_door
from vitrine.bootstrap.environments import LOCAL
from vitrine.cli.console.environment import DEFAULT, Environment, connected
from vitrine.cli.console.printing import print_json, print_lines
from vitrine.cli.console.program import AsJson, new_group


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = new_group("Find the API for programs.")
    group.command("show")(show)
    group.command("document")(show_document)
    app.add_typer(group, name="api")


def show(
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Show the address of the API, and how to call it.

    Exit code 0: there is one. 2: the service is not running, or has no API.
    """
    with connected(environment):
        door = api_door(environment)
    if as_json:
        print_json({"address": door.address, "access": door.access, "region": door.region})
    else:
        print_lines([door.address, *_how(door, environment)])


def show_document() -> None:
    """Print the OpenAPI 3.1 document of the API, for generators of clients and for fuzzers.

    Exit code 0: printed.
    """
    print_json(document(OPERATIONS))


def _how(door: ApiDoor, environment: str) -> list[str]:
    address = f"{door.address}/objects"
    if door.access == "jwt":
        return ["  It takes tokens. Try:", f'  curl -H "Authorization: Bearer $TOKEN" {address}']
    user = "test:test" if environment == LOCAL else '"$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY"'
    session = "" if environment == LOCAL else ' -H "x-amz-security-token: $AWS_SESSION_TOKEN"'
    signing = f'--aws-sigv4 "aws:amz:{door.region}:execute-api"'
    return [
        "  It takes signatures of AWS. Try:",
        f"  curl {signing} --user {user}{session} {address}",
    ]
