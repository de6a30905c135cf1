"""The token services: a page in a viewer's frame that posts a message (2.0, section 4; 1.0, 4.2).

The answer is always 200, with a token or the reason why not.
"""

from vitrine.access.rights import Right
from vitrine.access.tickets import Ticket
from vitrine.api.http import ApiResponse
from vitrine.authorization import pages
from vitrine.authorization.exchange import Visit
from vitrine.authorization.messages import Version, error_message, token_message
from vitrine.authorization.services import record_admissions
from vitrine.authorization.tickets import access_token, held_ticket, new_ticket, ticket_cookie
from vitrine.errors import TicketRefused

MAX_MESSAGE_ID_LENGTH = 500


def give_token_1(visit: Visit, name: str, right: Right) -> ApiResponse:
    """Answer a viewer of Authentication 1.0."""
    return _give_token("1", visit, name, right)


def give_token_2(visit: Visit, name: str, right: Right) -> ApiResponse:
    """Answer a viewer of Authorization Flow 2.0."""
    return _give_token("2", visit, name, right)


def _give_token(version: Version, visit: Visit, name: str, right: Right) -> ApiResponse:
    origin, message_id = visit.origin, visit.fields.get("messageId", "")
    if not origin or len(message_id) > MAX_MESSAGE_ID_LENGTH:
        # To nobody: a message without the origin of its reader could go to any page.
        return pages.refuse(400, "A token is asked for with `origin` and `messageId`.")
    cookies: tuple[str, ...] = ()
    if not message_id:
        message = error_message(version, message_id, "invalidRequest")
    elif not visit.allows(origin):
        message = error_message(version, message_id, "invalidOrigin")
    else:
        try:
            ticket, cookies = _find_ticket(visit, name, right)
        except TicketRefused as error:
            profile = {"missing": "missingAspect", "expired": "expiredAspect"}.get(
                error.code, "invalidAspect"
            )
            message = error_message(version, message_id, profile)
        else:
            page = origin if visit.names(origin) else ""
            text, seconds = access_token(
                ticket, name, visit.services.keys(), visit.now, visit.address, page
            )
            message = token_message(version, message_id, text, seconds)
    return pages.token_page(message, origin, cookies)


def _find_ticket(visit: Visit, name: str, right: Right) -> tuple[Ticket, tuple[str, ...]]:
    """Return the ticket that a browser has or gets here, and its Set-Cookie. Raises TicketRefused,
    with code `missing` for a browser without one."""
    keys = visit.services.keys()
    if right.kind == "place":
        if not right.holds_at(visit.address):
            raise TicketRefused("elsewhere")
        # Of all places that are here: a browser has one cookie for them.
        mine = {
            place: found
            for place, found in visit.access.rights.items()
            if found.kind == "place" and found.holds_at(visit.address)
        }
        given = new_ticket(visit.now, mine, address=visit.address)
        record_admissions(visit.services, given, mine)
        return given, (ticket_cookie(given, keys),)
    ticket = held_ticket(visit.headers, keys, visit.now)
    if ticket is None:
        raise TicketRefused("missing")
    if name not in ticket.rights:
        raise TicketRefused("elsewhere")
    return ticket, ()
