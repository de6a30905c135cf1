"""`vitrine invalidate`: make the edge forget images by hand."""

import json
from typing import Annotated

import typer

from vitrine.bootstrap.deployed_services import deployed_invalidate_services
from vitrine.bootstrap.deployment import Deployment
from vitrine.cli.environment import DEFAULT, UNSUCCESSFUL, AsJson, Environment, connected, stop
from vitrine.edge.invalidation import invalidate_images, new_reference
from vitrine.errors import MasterRejected
from vitrine.identify.identifier import normalise_identifier

Identifiers = Annotated[
    list[str] | None, typer.Argument(help="Identifiers of images.", metavar="ID")
]
All = Annotated[bool, typer.Option("--all", help="Every image: after a release that renders anew.")]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("invalidate")(invalidate)


def invalidate(
    identifiers: Identifiers = None,
    every: All = False,
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Have the edge ask the origin anew for all addresses of these images, at once.

    A change of an image does this by itself, within a minute or so. Exit code 0: done. 1: done,
    but some identifiers are not known here. 2: wrong usage, or the service is not running.
    """
    if bool(identifiers) == every:
        stop("Name images to invalidate, or all of them with --all.")
    names = [_normalised(identifier) for identifier in identifiers or ()]
    with connected(environment) as service:
        services = deployed_invalidate_services(environment)
        if every:
            made = [services.edge.invalidate_all_images(new_reference())]
        else:
            made = invalidate_images(services, names)
        unknown = _unknown(service, names)
    if as_json:
        print(json.dumps({"invalidations": made, "unknown": unknown}, ensure_ascii=False))
    else:
        _print(made, unknown)
    if unknown:
        raise typer.Exit(UNSUCCESSFUL)


def _normalised(identifier: str) -> str:
    try:
        return normalise_identifier(identifier)
    except MasterRejected as error:
        stop(f"{identifier!r} cannot be an identifier: {error.rejection.sentence}")


def _unknown(service: Deployment, identifiers: list[str]) -> list[str]:
    known = service.identifiers.get_many(identifiers) if identifiers else {}
    return [identifier for identifier in identifiers if identifier not in known]


def _print(made: list[str], unknown: list[str]) -> None:
    for identifier in unknown:
        print(f"{identifier}: not known here; is it spelled so in the image's address?")
    print(f"The edge forgets them within seconds ({'; '.join(made)}).")
    print("Browsers that have been shown them ask again after five minutes at the latest.")
