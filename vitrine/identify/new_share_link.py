"""Links that show a restricted image, or a part of it, to anybody who has them, until they end."""

import re
import secrets
import time
from dataclasses import dataclass

from vitrine.access.keys import Keys
from vitrine.access.rules import SHARE, read_rule
from vitrine.access.tickets import MAX_SECONDS, Ticket, sign_ticket
from vitrine.errors import AccessDenied, IdentifierRefused
from vitrine.identify.public_image import small_image
from vitrine.iiif.paths import image_path
from vitrine.iiif.version import NEWEST
from vitrine.records import Live, Record

DAY = 86_400
WHOLE = "full"
MAX_DAYS = MAX_SECONDS[SHARE] // DAY
REGION = r"full|[0-9]{1,9},[0-9]{1,9},[1-9][0-9]{0,8},[1-9][0-9]{0,8}"


@dataclass(frozen=True, kw_only=True)
class LinkTerms:
    """What a link shows, and how long."""

    days: int = 30
    region: str = WHOLE
    """Part of the image that it shows: `full`, or x,y,w,h in its pixels."""
    size: int = 0
    """Most pixels that the longer side of the whole image may have; 0: no limit."""
    formats: tuple[str, ...] = ()
    """The formats that it shows; empty: any."""


@dataclass(frozen=True, kw_only=True)
class ShareLink:
    """A link to an image."""

    identifier: str
    link: str
    """Its id, by which it is revoked."""
    expires_at: int
    """Seconds since 1970."""
    picture: str
    """Address of the picture."""
    info: str
    """Address of the image information; empty for a part."""


def make_share_link(
    record: Record | None, identifier: str, terms: LinkTerms, keys: Keys, base: str
) -> ShareLink:
    """Return a new link to the image of a record; `base` is scheme and host of its addresses.

    Raises IdentifierRefused if it cannot be shared like that.
    """
    if not re.fullmatch(REGION, terms.region):
        raise IdentifierRefused(
            "region-outside", f'"{terms.region}" is no region, such as 0,0,1000,800.'
        )
    image = _restricted_image(record, identifier)
    shown, level = _limit_size(image, terms.size) if terms.size else (image, 0)
    part = _part(image, shown, level, terms.region)
    is_whole, now, link = terms.region == WHOLE, int(time.time()), secrets.token_hex(8)
    ticket = Ticket(
        issued_at=now,
        expires_at=now + terms.days * DAY,
        use=SHARE,
        identifier=image.identifier,
        link=link,
        since=image.links_from,
        region=terms.region if is_whole else f"{terms.region},{image.width},{image.height}",
        size=terms.size,
        formats=terms.formats,
    )
    text = sign_ticket(ticket, keys)
    address = f"{base}/restricted/{SHARE}/{text}{image_path(NEWEST, image.identifier)}"
    format_ = terms.formats[0] if terms.formats else "jpg"
    return ShareLink(
        identifier=image.identifier,
        link=link,
        expires_at=ticket.expires_at,
        picture=f"{address}/{part}/max/0/default.{format_}",
        info=f"{address}/info.json" if part == WHOLE else "",
    )


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
            f"{max(image.levels[-1])} pixels. Let the size be at least that.",
        ) from None


def _part(image: Live, shown: Live, level: int, region: str) -> str:
    """Return the region as it is asked for of the image at the size that is shown.

    Raises IdentifierRefused if nothing of it is inside the image.
    """
    if region == WHOLE:
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
