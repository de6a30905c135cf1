"""Tickets: signed permissions that end by themselves, which need no lookup and no session.

A ticket is `v1.{key}.{claims}.{signature}`: the id of a key, the claims as JSON in Base64url
(RFC 4648, section 5, without padding), and the HMAC-SHA256 of all before the last dot, in Base64url
too. Its key is the secret's text in ASCII. The claims, all short since tickets go into addresses:

    iat, exp   when it was issued and when it ends, in seconds since 1970
    use        what it is for: "see" (images), "image" (one image, for a viewer's page that sends no
               cookies), "token" (image information; IIIF Authorization's access token, which pages
               of others get to know), "share" (a link)
    rights     see, image, token: the names of the rights that it gives
    net        see, image, token: the viewer's network, if the rights hold in one place only, and
               always if the token is `named`
    named      token: the origin of its page, if that is of a site that the institution names, so
               that image information may name a ticket for the image; no other page may show it
    id         image, share: the identifier
    link       share: the link's id, by which it is revoked
    since      share: the revision of the identifier from which on its links hold, when this one was
               made; a link ends when the image has another
    region     share: `full`, or `x,y,w,h,W,H` in pixels of the image, which was W x H when the link
               was made; a part of it is no part of a version with another width or height
    size       share: the longest side that it shows, in pixels; 0: any
    formats    share: the formats that it shows; empty: any

`stacks/functions/ticket.js` verifies the same at the edge; one list of vectors holds for both.
"""

import base64
import binascii
import hashlib
import hmac
import ipaddress
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from vitrine.access.keys import Keys
from vitrine.access.rules import SHARE
from vitrine.errors import TicketRefused

MAX_TICKET_LENGTH = 1_400
"""Characters: an address has 2,048 next to it, and CloudFront takes 8,192."""
MAX_NAMED_LENGTH = 1_900
"""Characters of an image's path with its ticket: the edge takes 2,048 for a tile's."""
SKEW_SECONDS = 60
"""Seconds by which the clock that issues a ticket may be ahead of the clock that verifies it."""
SEE, IMAGE, TOKEN = "see", "image", "token"
MAX_SECONDS = {SEE: 12 * 3_600, IMAGE: 3_600, TOKEN: 12 * 3_600, SHARE: 366 * 86_400}
"""Lifetimes that no ticket of this use may exceed."""
_FORM = re.compile(r"v1\.([a-z0-9]{1,16})\.([A-Za-z0-9_-]{1,1300})\.([A-Za-z0-9_-]{43})")
_WHOLE = "full"
_KEY_CHARACTERS = 16
_LAST_SECOND = 9_999_999_999
"""Last second with ten digits, as all moments have until the year 2286."""


@dataclass(frozen=True, kw_only=True)
class Ticket:
    """What a ticket permits."""

    issued_at: int
    expires_at: int
    use: str = SEE
    rights: tuple[str, ...] = ()
    network: str = ""
    """The only network in which it holds (`viewer_network`); empty: anywhere."""
    page: str = ""
    """Origin of a token's page, if that is of a site that the institution names."""
    identifier: str = ""
    link: str = ""
    since: int = 0
    region: str = _WHOLE
    size: int = 0
    formats: tuple[str, ...] = ()


def sign_ticket(ticket: Ticket, keys: Keys) -> str:
    """Return the text of a ticket. Raises ValueError for one that nobody would accept."""
    if not 0 < ticket.expires_at - ticket.issued_at <= MAX_SECONDS[ticket.use]:
        raise ValueError(f"a ticket may hold for {MAX_SECONDS[ticket.use]} s at most")
    claims = json.dumps(_ticket_claims(ticket), ensure_ascii=False, separators=(",", ":"))
    signed = f"v1.{keys.current}.{_encode_base64(claims.encode())}"
    text = f"{signed}.{_sign_text(signed, keys.secrets[keys.current])}"
    if len(text) > MAX_TICKET_LENGTH:
        raise ValueError(f"a ticket has {MAX_TICKET_LENGTH} characters at most")
    return text


def narrow_to_image(ticket: Ticket, identifier: str) -> Ticket:
    """Return a ticket for one image that holds where another one does, for an hour at most."""
    longest = ticket.issued_at + MAX_SECONDS[IMAGE]
    expires = min(ticket.expires_at, longest)
    return replace(ticket, use=IMAGE, page="", identifier=identifier, expires_at=expires)


def sign_for_path(ticket: Ticket, path: str, keys: Keys) -> str:
    """Return the text of a ticket in an image's path, "" if it would make that too long."""
    try:
        text = sign_ticket(ticket, keys)
    except ValueError:
        return ""
    return text if len(text) + len(path) <= MAX_NAMED_LENGTH else ""


def verify_ticket(text: str, keys: Keys, now: float, network: str = "") -> Ticket:
    """Return the ticket, shown at `now` by a viewer in `network`.

    Raises TicketRefused with code `malformed`, `forged` (its key was revoked, or never ours),
    `early`, `expired` or `elsewhere`. Who it is for, and for what, the caller decides.
    """
    match = _FORM.fullmatch(text) if len(text) <= MAX_TICKET_LENGTH else None
    if match is None:
        raise TicketRefused("malformed")
    key, claims, signature = match.groups()
    secret = keys.secrets.get(key)
    if not secret or not hmac.compare_digest(_sign_text(f"v1.{key}.{claims}", secret), signature):
        raise TicketRefused("forged")
    ticket = _read_claims(claims)
    if ticket.issued_at > now + SKEW_SECONDS:
        raise TicketRefused("early")
    if now >= min(ticket.expires_at, ticket.issued_at + MAX_SECONDS[ticket.use]):
        raise TicketRefused("expired")
    if ticket.network and ticket.network != network:
        raise TicketRefused("elsewhere")
    return ticket


def count_characters(rights: Sequence[str], network: str = "") -> int:
    """Return the most characters that a ticket of these rights has."""
    ticket = Ticket(
        issued_at=_LAST_SECOND, expires_at=_LAST_SECOND, rights=tuple(rights), network=network
    )
    claims = json.dumps(_ticket_claims(ticket), ensure_ascii=False, separators=(",", ":"))
    return len(f"v1.{'k' * _KEY_CHARACTERS}.{_encode_base64(claims.encode())}.{'s' * 43}")


def key_of(text: str) -> str:
    """Return the id of the key that a ticket says it is signed with; "" for what is no ticket."""
    match = _FORM.fullmatch(text) if len(text) <= MAX_TICKET_LENGTH else None
    return match[1] if match else ""


def viewer_network(address: str) -> str:
    """Return what a viewer's address has in common with their next one.

    That is an IPv4 address, the first 64 bits of an IPv6 address as four groups, or "" for no
    address.
    """
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return ""
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is None:
            return ":".join(f"{int(group, 16):x}" for group in parsed.exploded.split(":")[:4])
        parsed = parsed.ipv4_mapped
    return str(parsed)


def _ticket_claims(ticket: Ticket) -> Mapping[str, Any]:
    common = {"iat": ticket.issued_at, "exp": ticket.expires_at, "use": ticket.use}
    if ticket.use == SHARE:
        return common | {
            "id": ticket.identifier,
            "link": ticket.link,
            "since": ticket.since,
            "region": ticket.region,
            "size": ticket.size,
            "formats": ticket.formats,
        }
    return (
        common
        | {"rights": ticket.rights}
        | ({"net": ticket.network} if ticket.network else {})
        | ({"named": ticket.page} if ticket.page else {})
        | ({"id": ticket.identifier} if ticket.identifier else {})
    )


class _Claims(msgspec.Struct, frozen=True):
    """The claims of a ticket, as they are read; all but `iat`, `exp` and `use` may be missing."""

    iat: int
    exp: int
    use: str
    rights: tuple[str, ...] = ()
    net: str = ""
    named: str = ""
    id: str = ""
    link: str = ""
    since: int = 0
    region: str = _WHOLE
    size: int = 0
    formats: tuple[str, ...] = ()


def _read_claims(text: str) -> Ticket:
    """Return the ticket of claims that we signed. Raises TicketRefused for another form."""
    try:
        content = base64.b64decode(f"{text}==", altchars=b"-_")
        claims = msgspec.json.decode(content, type=_Claims)
    except (binascii.Error, msgspec.DecodeError, UnicodeDecodeError):
        raise TicketRefused("malformed") from None
    if claims.use not in MAX_SECONDS:
        raise TicketRefused("malformed")
    return Ticket(
        issued_at=claims.iat,
        expires_at=claims.exp,
        use=claims.use,
        rights=claims.rights,
        network=claims.net,
        page=claims.named,
        identifier=claims.id,
        link=claims.link,
        since=claims.since,
        region=claims.region,
        size=claims.size,
        formats=claims.formats,
    )


def _sign_text(signed: str, secret: str) -> str:
    return _encode_base64(hmac.digest(secret.encode(), signed.encode(), hashlib.sha256))


def _encode_base64(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()
