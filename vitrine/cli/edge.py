"""`vitrine edge`: make the edge forget images at once."""

from typing import Annotated

import typer

from vitrine.bootstrap.deployed_services import deployed_invalidate_services
from vitrine.bootstrap.deployment import Deployment
from vitrine.cli.console.environment import DEFAULT, Environment, connected
from vitrine.cli.console.printing import print_json, print_lines
from vitrine.cli.console.program import UNSUCCESSFUL, AsJson, new_group, stop
from vitrine.edge.invalidation import invalidate_images, new_reference
from vitrine.errors import MasterRejected
from vitrine.identify.identifier import normalise_identifier

Identifiers = Annotated[
    list[str] | None, typer.Argument(help="Identifiers of the images.", metavar="ID")
]
All = Annotated[
    bool,
    typer.Option(
        "--all", help="Invalidate every image, as after a release that renders differently."
    ),
]


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = new_group("Make the edge forget cached answers.")
    group.command("invalidate")(invalidate)
    app.add_typer(group, name="edge")


def invalidate(
    identifiers: Identifiers = None,
    every: All = False,
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Make the edge forget all answers about these images, so that it asks the origin again.

    Every change of an image does this by itself within a minute or so.

    Exit code 0: done. 1: done, but some identifiers are unknown here. 2: wrong usage, or the
    service is not running.
    """
    if bool(identifiers) == every:
        stop("Name the images to invalidate, or give --all.")
    names = [_normalised(identifier) for identifier in identifiers or ()]
    with connected(environment) as service:
        services = deployed_invalidate_services(environment)
        if every:
            made = [services.edge.invalidate_all_images(new_reference())]
        else:
            made = invalidate_images(services, names)
        unknown = _unknown(service, names)
    if as_json:
        print_json({"invalidations": made, "unknown": unknown})
    else:
        _print_result(made, unknown, len(names))
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


def _print_result(made: list[str], unknown: list[str], requested: int) -> None:
    lines = [
        f"{name}: no image has this identifier; compare its spelling with the image's address."
        for name in unknown
    ]
    if len(unknown) < requested or not requested:
        lines += [
            f"The edge forgets {'them' if requested else 'all images'} within seconds "
            f"({'; '.join(made)}).",
            "Browsers that have shown them ask again within five minutes.",
        ]
    print_lines(lines)
