"""Paths to an image, which decide what of it may be shown: everybody's, and restricted ones.

    /iiif/...                           what everybody may see
    /restricted/{right}/iiif/...        everything, to those with a ticket of this right
    /restricted/{right}/{signature}/iiif/{2|3}/{identifier}/info.json
                                        the same; the image's address names a ticket: the one with
                                        this signature, or one for a token with this signature
    /restricted/{right}/nobody/iiif/{2|3}/{identifier}/info.json
                                        what viewers need to know of an image to ask for a ticket
    /restricted/share/{since}/{region}/{size}/iiif/...
                                        what a share link of these limits shows; a region names the
                                        width and height of the image that it is a part of
    /restricted/share/{signature}/iiif/{2|3}/{identifier}/info.json

These are addresses as the edge leaves them (`stacks/functions/restricted_request.js`): it verifies
the ticket, takes it out of the path, so that all who may see an image share one copy, and puts it
into a header. Here it is verified again, with the rule of the image's record.
"""

import re
from dataclasses import dataclass
from typing import Protocol

from vitrine.access.rules import AccessRule, read_rule
from vitrine.access.tickets import Ticket
from vitrine.deliver.answer.image_view import ImageView
from vitrine.errors import AccessDenied, TicketRequired
from vitrine.identify.public_image import public_image, small_image
from vitrine.iiif.region import Box
from vitrine.records import Live

RESTRICTED = "/restricted/"
_WHOLE = "full"
_FROM, _SIDE = "([0-9]{1,9})", "([1-9][0-9]{0,8})"
_PART = re.compile(",".join((_FROM, _FROM, _SIDE, _SIDE, _SIDE, _SIDE)))


@dataclass(frozen=True)
class Elsewhere:
    """The image is to be asked for at another path, whose addresses begin with `prefix`."""

    prefix: str


class AccessPath(Protocol):
    """A beginning of addresses."""

    @property
    def prefix(self) -> str:
        """What comes before `/iiif/` in the addresses that answers name."""
        ...

    @property
    def moved_prefix(self) -> str:
        """The same for redirects to another identifier."""
        ...

    def view(self, image: Live) -> ImageView | Elsewhere:
        """Return what may be shown of an image. Raises AccessDenied."""
        ...


class PublicPath:
    """Everybody's."""

    prefix = ""
    moved_prefix = ""

    def view(self, image: Live) -> ImageView | Elsewhere:
        """See AccessPath."""
        rule = read_rule(image.access)
        if rule.shows == "nothing" and rule.right:
            return Elsewhere(right_prefix(rule.right))
        shown, level = public_image(image)
        return ImageView(shown, image, level, right=rule.right)


PUBLIC = PublicPath()


@dataclass(frozen=True)
class RightPath:
    """That of those with a right, or on the way to it."""

    right: str
    prefix: str
    is_admitted: bool = True
    """False for those without a ticket, who only learn how to get one."""
    degrades: bool = False
    """True if they are sent to what is shown small to everybody (Authentication 1.0, section 2.3);
    a probe of 2.0 leads here those who have a ticket, and asks for the information without it."""

    moves_to: str = ""
    """`moved_prefix`, where the ticket of `prefix` is for one identifier only."""

    @property
    def moved_prefix(self) -> str:
        """See AccessPath."""
        return self.moves_to or self.prefix

    def view(self, image: Live) -> ImageView | Elsewhere:
        """See AccessPath."""
        rule = read_rule(image.access)
        if rule.right != self.right:
            return _other_path(rule)
        if not self.is_admitted and rule.shows == "small" and self.degrades:
            return Elsewhere("")
        return ImageView(image, image, right=self.right, is_admitted=self.is_admitted)


@dataclass(frozen=True)
class SharePath:
    """That of those who were sent a link."""

    ticket: Ticket
    prefix: str
    moved_prefix: str = ""

    def view(self, image: Live) -> ImageView | Elsewhere:
        """See AccessPath."""
        rule = read_rule(image.access)
        if rule.shows == "everything":
            return Elsewhere("")
        if self.ticket.since != image.links_from:
            # Not kept: the record in this memory may be older than the link.
            raise TicketRequired("this link does not hold any more")
        if rule.shows == "nothing" and not rule.right:
            raise AccessDenied("this image is not public")
        box = self._box(image)
        shown, level = small_image(image, self.ticket.size) if self.ticket.size else (image, 0)
        return ImageView(shown, image, level, formats=self.ticket.formats, box=box)

    def _box(self, image: Live) -> Box | None:
        """Return the part that is shown, None for all of it. Raises TicketRequired.

        In a version with another width or height, the same numbers may be a part that the link was
        to hide.
        """
        if self.ticket.region == _WHOLE:
            return None
        match = _PART.fullmatch(self.ticket.region)
        if match is None:
            raise TicketRequired("this link does not say which image it shows a part of")
        x, y, width, height, *whole = map(int, match.groups())
        if whole != [image.width, image.height]:
            # Not kept: the version in this memory may be older than the link.
            raise TicketRequired("this link was made for another version of the image")
        return Box(x, y, width, height)


def right_prefix(right: str) -> str:
    """Return what addresses begin with for those with a right."""
    return f"{RESTRICTED}{right}"


def _other_path(rule: AccessRule) -> Elsewhere:
    """Return the path of an image with another rule. Raises AccessDenied if it has none."""
    if rule.shows != "nothing":
        return Elsewhere("")
    if not rule.right:
        raise AccessDenied("this image is not public")
    return Elsewhere(right_prefix(rule.right))
