"""Tickets of browsers: given at the end of a way in, shown to the token service, taken back."""

from collections.abc import Mapping

from vitrine.access.keys import Keys
from vitrine.access.rights import Right
from vitrine.access.tickets import (
    SEE,
    TOKEN,
    Ticket,
    sign_ticket,
    verify_ticket,
    viewer_network,
)
from vitrine.authorization.cookies import drop_cookie, read_cookie, set_cookie
from vitrine.errors import TicketRefused

COOKIE = "__Host-vitrine-ticket"
"""Cookie with the ticket of rights that a visitor takes along: a role, or accepted terms."""
PLACE_COOKIE = "__Host-vitrine-place"
"""Cookie with the ticket of rights of a place, which holds in that network only."""
TOKEN_SECONDS = 3_600
HOUR = 3_600


def new_ticket(
    now: float, rights: Mapping[str, Right], held: Ticket | None = None, address: str = ""
) -> Ticket:
    """Return a ticket for these rights, and for others that `held` gives: it ends with the first.

    That of a viewer in a place, with their `address`, holds in their network only.
    """
    issued = int(now)
    ends = [issued + right.hours * HOUR for right in rights.values()]
    others = set(held.rights) - set(rights) if held else set()
    if held and others:
        ends.append(held.expires_at)
    return Ticket(
        issued_at=issued,
        expires_at=min(ends),
        rights=tuple(sorted({*rights, *others})),
        network=viewer_network(address),
    )


def ticket_cookie(ticket: Ticket, keys: Keys) -> str:
    """Return the Set-Cookie of a ticket."""
    name = PLACE_COOKIE if ticket.network else COOKIE
    seconds = ticket.expires_at - ticket.issued_at
    return set_cookie(name, sign_ticket(ticket, keys), seconds, everywhere=True)


def held_ticket(headers: Mapping[str, str], keys: Keys, now: float) -> Ticket | None:
    """Return the ticket of a request's cookie; None for none. Raises TicketRefused."""
    text = read_cookie(headers, COOKIE)
    return _of_use(SEE, verify_ticket(text, keys, now)) if text else None


def access_token(
    ticket: Ticket, right: str, keys: Keys, now: float, address: str, page: str = ""
) -> tuple[str, int]:
    """Return a token that knows one right of a ticket and opens no image, and its seconds.

    Any page may come to know it (Authorization Flow 2.0, 4.4), so it is no ticket, and says nothing
    of the viewer's other rights. With that of a `page` of a named site, image information names the
    image with a ticket. A viewer hands it to any server whose image names our token service, so it
    holds in the network of this viewer's `address` only, and for no other page.
    """
    network = ticket.network or (viewer_network(address) if page else "")
    issued = int(now)
    expires = min(ticket.expires_at, issued + TOKEN_SECONDS)
    token = Ticket(
        use=TOKEN,
        issued_at=issued,
        expires_at=expires,
        rights=(right,),
        network=network,
        page=page if network else "",
    )
    return sign_ticket(token, keys), expires - issued


def token_rights(
    header: str, keys: Keys, now: float, address: str, origin: str
) -> frozenset[str] | None:
    """Return the rights of the token in an Authorization header; None for none that is valid.

    `origin` is that of the page which sent it, "" for our own pages and for programs.
    """
    scheme, _, text = header.partition(" ")
    if scheme.lower() != "bearer":
        return None
    try:
        token = verify_ticket(text.strip(), keys, now, viewer_network(address))
    except TicketRefused:
        return None
    is_ours = token.use == TOKEN and (not origin or not token.page or token.page == origin)
    return frozenset(token.rights) if is_ours else None


def drop_tickets() -> tuple[str, ...]:
    """Return the Set-Cookies that take all tickets back."""
    return tuple(drop_cookie(name, everywhere=True) for name in (COOKIE, PLACE_COOKIE))


def _of_use(use: str, ticket: Ticket) -> Ticket:
    if ticket.use != use:
        raise TicketRefused("malformed")
    return ticket
