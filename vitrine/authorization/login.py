"""The access and logout services: pages in a tab of their own, which close themselves.

Authorization Flow 2.0, section 3; Authentication 1.0, section 2.
"""

from contextlib import suppress
from dataclasses import replace

from vitrine.access.rights import Right, choose_text
from vitrine.access.tickets import Ticket
from vitrine.api.http import ApiResponse
from vitrine.authorization import pages
from vitrine.authorization.cookies import drop_cookie, read_cookie, set_cookie
from vitrine.authorization.exchange import Visit
from vitrine.authorization.provider import SignedIn
from vitrine.authorization.provider_http import ProviderUnusable
from vitrine.authorization.services import logger, record_admissions
from vitrine.authorization.tickets import COOKIE as TICKET_COOKIE
from vitrine.authorization.tickets import drop_tickets, held_ticket, new_ticket, ticket_cookie
from vitrine.authorization.way_in import COOKIE, SECONDS, WayIn, begin, seal, unseal
from vitrine.errors import TicketRefused, TransientError

MAX_CODE_LENGTH = 4_096
_DROP = drop_cookie(COOKIE, everywhere=False)
_WINDOW = "document"
"""Sec-Fetch-Dest of what is opened in a tab or window; browsers before 2023 send no such header."""
_CLOSE = "You can close this window."


def start_login(visit: Visit, name: str, right: Right) -> ApiResponse:
    """Send somebody to the provider, or show the terms, or say that this is the place or not."""
    origin = visit.origin
    if origin is None or (origin and not visit.allows(origin)):
        return pages.refuse(400, "The page with the viewer may not send people here.")
    if right.kind == "place":
        return _show_place(visit, right)
    way_in = begin(name, origin)
    cookie = set_cookie(COOKIE, seal(way_in, visit.services.keys()), SECONDS, everywhere=False)
    if right.kind == "terms":
        return _show_terms(visit, right, way_in, cookie)
    address = visit.services.sign_in().address(way_in, visit.callback)
    headers = {"location": address, "cache-control": "no-store", "referrer-policy": "no-referrer"}
    return ApiResponse(status=302, headers=headers, cookies=(cookie,))


def finish_login(visit: Visit) -> ApiResponse:
    """Answer somebody whom the provider has sent back. Raises ProviderUnusable, TransientError."""
    way_in = _use_way_in(visit)
    if way_in is None:
        return _start_again()
    code = visit.fields.get("code", "")
    if visit.fields.get("error") or not 0 < len(code) <= MAX_CODE_LENGTH:
        return pages.page(
            403, "You have not signed in", f"No image was opened. {_CLOSE}", cookies=(_DROP,)
        )
    try:
        person = visit.services.sign_in().finish(way_in, visit.fields, visit.callback)
    except ProviderUnusable as error:
        logger.warning("a sign-in failed: %s", error)
        return pages.page(
            502,
            "Signing in did not work",
            "Close this window and try again. If it fails again, tell the institution.",
            cookies=(_DROP,),
        )
    return _admit_person(visit, way_in, person)


def accept_terms(visit: Visit, name: str, right: Right) -> ApiResponse:
    """Let in somebody who has accepted the terms that they were shown. Raises TransientError."""
    way_in = _use_way_in(visit)
    if way_in is None or way_in.right != name or right.kind != "terms":
        return _start_again()
    ticket = new_ticket(visit.now, {name: right}, _find_ticket(visit))
    record_admissions(visit.services, ticket, {name: right})
    cookie = ticket_cookie(ticket, visit.services.keys())
    return pages.page(
        200, choose_text(right.label, visit.languages), _CLOSE, closes=True, cookies=(cookie, _DROP)
    )


def log_out(visit: Visit, name: str, right: Right) -> ApiResponse:
    """Take all tickets back, and show the way to end the provider's own session.

    Viewers open this in a window of its own (2.0, section 3.4; 1.0, 2.2.4). A page that only names
    it, as an image or in a frame, signs nobody out.
    """
    if visit.headers.get("sec-fetch-dest", _WINDOW) != _WINDOW:
        return pages.refuse(403, "Signing out needs a window of its own.")
    cookies = (*drop_tickets(), _DROP)
    address = ""
    if right.kind == "role":
        # Ours are taken back in any case.
        with suppress(ProviderUnusable, TransientError):
            address = visit.services.sign_in().sign_out_address()
    if not address:
        return pages.page(200, "You are signed out", _CLOSE, closes=True, cookies=cookies)
    return pages.page(
        200,
        "You are signed out here",
        "You are still signed in where you signed in. On a computer that others use, sign out "
        "there as well.",
        link=(address, "Sign out there"),
        cookies=cookies,
    )


def _admit_person(visit: Visit, way_in: WayIn, person: SignedIn) -> ApiResponse:
    """Give somebody a ticket for all rights of their groups.

    Of a ticket in the same browser it keeps what its terms give: the groups may be those of
    somebody who sat there before.
    """
    mine = {
        name: right
        for name, right in visit.access.rights.items()
        if right.kind == "role" and right.group in person.groups
    }
    kept = _keep_terms(visit, _find_ticket(visit))
    cookies = [_DROP, drop_cookie(TICKET_COOKIE, everywhere=True)]
    if mine or kept:
        ticket = new_ticket(visit.now, mine, kept)
        cookies[1] = ticket_cookie(ticket, visit.services.keys())
        provider = visit.access.provider
        subject = f"{provider.issuer if provider else ''} {person.subject}"
        record_admissions(visit.services, ticket, mine, subject)
    if way_in.right not in mine:
        return pages.page(
            403,
            "This account does not open these images",
            f"You have signed in, but the institution shows them to others only. {_CLOSE}",
            cookies=tuple(cookies),
        )
    title = choose_text(mine[way_in.right].label, visit.languages)
    return pages.page(200, title, _CLOSE, closes=True, cookies=tuple(cookies))


def _show_terms(visit: Visit, right: Right, way_in: WayIn, cookie: str) -> ApiResponse:
    languages = visit.languages
    form = {
        "action": "accept",
        "state": way_in.state,
        "label": choose_text(right.confirm, languages) or "I accept",
    }
    return pages.page(
        200,
        choose_text(right.heading or right.label, languages),
        choose_text(right.terms, languages),
        language=_choose_language(right, languages),
        form=form,
        cookies=(cookie,),
    )


def _show_place(visit: Visit, right: Right) -> ApiResponse:
    if right.holds_at(visit.address):
        return pages.page(
            200, choose_text(right.label, visit.languages), f"You are there. {_CLOSE}", closes=True
        )
    return pages.page(
        403,
        choose_text(right.label, visit.languages),
        choose_text(right.note, visit.languages) or "These images are shown in one place only.",
    )


def _choose_language(right: Right, languages: tuple[str, ...]) -> str:
    """Return the language of the terms that are shown."""
    text = choose_text(right.terms, languages)
    return next(language for language, known in right.terms.items() if known == text)


def _use_way_in(visit: Visit) -> WayIn | None:
    """Return the way in that a request finishes; None for a wrong one, and after its first use.

    A browser that keeps the cookie, or somebody who has copied it, finishes nothing again. Raises
    TransientError.
    """
    state = visit.fields.get("state", "")
    way_in = unseal(read_cookie(visit.headers, COOKIE), state, visit.services.keys())
    if way_in is None:
        return None
    uses = visit.services.uses.add(f"way-in#{state}", expires=int(visit.now) + SECONDS)
    return way_in if uses == 1 else None


def _find_ticket(visit: Visit) -> Ticket | None:
    with suppress(TicketRefused):
        return held_ticket(visit.headers, visit.services.keys(), visit.now)
    return None


def _keep_terms(visit: Visit, held: Ticket | None) -> Ticket | None:
    """Return a ticket without the rights that no terms gave; None if nothing is left."""
    known = visit.access.rights
    names = [name for name in (held.rights if held else ()) if name in known]
    kept = tuple(name for name in names if known[name].kind == "terms")
    return replace(held, rights=kept) if held and kept else None


def _start_again() -> ApiResponse:
    return pages.page(
        400,
        "Please start again",
        "This way in was opened in another browser or window, was used already, or took too long. "
        "Close this window, and begin again in the viewer.",
        cookies=(_DROP,),
    )
