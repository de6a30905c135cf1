"""`vitrine access share`, `unshare`: links to a restricted image, for people without any right."""

import re
import secrets
import time
from typing import Annotated

import typer

from vitrine.access.rules import SHARE, read_rule
from vitrine.access.tickets import MAX_SECONDS, Ticket, sign_ticket
from vitrine.bootstrap.curation import curation_of
from vitrine.cli.access.keys import signing_keys
from vitrine.cli.console.environment import DEFAULT, Environment, connected
from vitrine.cli.console.printing import print_json, print_lines
from vitrine.cli.console.program import AsJson, stop
from vitrine.errors import AccessDenied, IdentifierRefused
from vitrine.identify.identifier import parse_identifier
from vitrine.identify.public_image import small_image
from vitrine.iiif.format import FORMATS
from vitrine.iiif.paths import image_path
from vitrine.iiif.version import NEWEST
from vitrine.records import Live, Record

DAY = 86_400
_REGION = re.compile(r"full|[0-9]{1,9},[0-9]{1,9},[1-9][0-9]{0,8},[1-9][0-9]{0,8}")


def share(
    identifier: Annotated[str, typer.Argument(help="The image's identifier.", metavar="ID")],
    days: Annotated[
        int, typer.Option(min=1, max=MAX_SECONDS[SHARE] // DAY, help="How long it is valid.")
    ] = 30,
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
    if not _REGION.fullmatch(region):
        stop("--region is four whole numbers, such as 0,0,1000,800: x, y, width and height.")
    if unknown := set(formats or ()) - set(FORMATS):
        stop(f"--format is one of {', '.join(FORMATS)}, not {', '.join(sorted(unknown))}.")
    with connected(environment) as service:
        image = _restricted_image(service.shown.get(parse_identifier(identifier)), identifier)
        shown, level = _limit_size(image, size) if size else (image, 0)
        part = _part(image, shown, level, region)
        now, link = int(time.time()), secrets.token_hex(8)
        ticket = Ticket(
            issued_at=now,
            expires_at=now + days * DAY,
            use=SHARE,
            identifier=image.identifier,
            link=link,
            since=image.links_from,
            region=region if region == "full" else f"{region},{image.width},{image.height}",
            size=size,
            formats=tuple(formats or ()),
        )
        text = sign_ticket(ticket, signing_keys(service))
    base = f"{service.edge_url}/restricted/{SHARE}/{text}{image_path(NEWEST, image.identifier)}"
    format_ = formats[0] if formats else "jpg"
    picture = f"{base}/{part}/max/0/default.{format_}"
    info = f"{base}/info.json" if part == "full" else ""
    if as_json:
        print_json(
            {"link": link, "expires": ticket.expires_at, "picture": picture, "info_url": info}
        )
    else:
        lines = [f"{image.identifier}: link {link}, for {days} days", picture, info]
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


def _restricted_image(record: Record | None, identifier: str) -> Live:
    """Return an image that a link can show. Raises IdentifierRefused."""
    if not isinstance(record, Live):
        raise IdentifierRefused("no-image", f'"{identifier}" is not a live image.')
    rule = read_rule(record.access)
    if rule.shows == "everything":
        raise IdentifierRefused(
            "open-image", f'"{record.identifier}" is open to everybody: send its usual address.'
        )
    if rule.shows == "nothing" and not rule.right:
        raise IdentifierRefused(
            "closed-image",
            f'"{record.identifier}" is closed, for links as well. Restrict it to a right, such as: '
            f"vitrine access image {record.identifier} staff",
        )
    return record


def _limit_size(image: Live, size: int) -> tuple[Live, int]:
    """Return the image at a stored size that the link shows, and the level of that.

    Raises IdentifierRefused if nothing is stored that small.
    """
    try:
        return small_image(image, size)
    except AccessDenied:
        raise IdentifierRefused(
            "size-too-small",
            f"Nothing is stored that small: the smallest size of {image.identifier} is of "
            f"{max(image.levels[-1])} pixels. Let --size be at least that.",
        ) from None


def _part(image: Live, shown: Live, level: int, region: str) -> str:
    """Return the region as it is asked for of the image at the size that is shown.

    Raises IdentifierRefused if nothing of it is inside the image.
    """
    if region == "full":
        return region
    x, y, width, height = map(int, region.split(","))
    right, bottom = min(x + width, image.width) >> level, min(y + height, image.height) >> level
    scale = 1 << level
    left, top = -(-x // scale), -(-y // scale)
    if right <= left or bottom <= top or right > shown.width or bottom > shown.height:
        raise IdentifierRefused(
            "region-outside",
            f"There is nothing of the image, of {image.width:,} x {image.height:,} pixels, in the "
            f"region {region}.",
        )
    return f"{left},{top},{right - left},{bottom - top}"
