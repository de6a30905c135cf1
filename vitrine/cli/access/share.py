"""`vitrine access share`, `unshare`: links to a restricted image, for people without any right."""

import re
from typing import Annotated

import typer

from vitrine.bootstrap.curation import curation_of
from vitrine.cli.access.keys import signing_keys
from vitrine.cli.console.environment import DEFAULT, Environment, connected
from vitrine.cli.console.printing import print_json, print_lines
from vitrine.cli.console.program import AsJson, stop
from vitrine.identify.identifier import parse_identifier
from vitrine.identify.new_share_link import MAX_DAYS, REGION, LinkTerms, make_share_link
from vitrine.iiif.format import FORMATS


def share(
    identifier: Annotated[str, typer.Argument(help="The image's identifier.", metavar="ID")],
    days: Annotated[int, typer.Option(min=1, max=MAX_DAYS, help="How long it is valid.")] = 30,
    region: Annotated[
        str,
        typer.Option(help="Show this part only: x,y,w,h in pixels of the image.", metavar="BOX"),
    ] = "full",
    size: Annotated[
        int,
        typer.Option(
            min=0,
            max=999_999_999,
            help="Most pixels that the longer side of the whole image may have; 0: no limit.",
        ),
    ] = 0,
    formats: Annotated[
        list[str] | None,
        typer.Option("--format", help="Show this format only, such as jpg.", metavar="FORMAT"),
    ] = None,
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Print a link that shows a restricted image to anybody who has it, until it ends.

    `vitrine access revoke` ends it sooner, and `vitrine access unshare` all links to the image. So
    does opening, closing, renaming or withdrawing the image: restricted again, it needs a new link.
    A link for a part also ends when a new version has another width or height.

    Exit code 0: printed. 1: this image cannot be shared. 2: wrong usage, or the service is not
    running.
    """
    if not re.fullmatch(REGION, region):
        stop("--region is four whole numbers, such as 0,0,1000,800: x, y, width and height.")
    if unknown := set(formats or ()) - set(FORMATS):
        stop(f"--format is one of {', '.join(FORMATS)}, not {', '.join(sorted(unknown))}.")
    terms = LinkTerms(days=days, region=region, size=size, formats=tuple(formats or ()))
    with connected(environment) as service:
        record = service.shown.get(parse_identifier(identifier))
        made = make_share_link(record, identifier, terms, signing_keys(service), service.edge_url)
    if as_json:
        print_json(
            {
                "link": made.link,
                "expires": made.expires_at,
                "picture": made.picture,
                "info_url": made.info,
            }
        )
    else:
        lines = [f"{made.identifier}: link {made.link}, for {days} days", made.picture, made.info]
        print_lines([line for line in lines if line])


def unshare(
    identifier: Annotated[str, typer.Argument(help="The image's identifier.", metavar="ID")],
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """End all share links to an image, within a minute and a half. Links made later are valid.

    Exit code 0: done. 1: there is no such image. 2: the service is not running.
    """
    with connected(environment) as service:
        change = curation_of(service).end_links(identifier)
    assert change.after is not None
    name, made = change.after.identifier, change.made
    if as_json:
        print_json({"identifier": name, "made": made})
    else:
        done = "all links to it end" if made else "it is open or closed, so no link to it is valid"
        print_lines([f"{name}: {done}"])
