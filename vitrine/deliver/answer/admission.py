"""Admission to restricted addresses: by a ticket, which is verified here again."""

import asyncio
import re
import time
from collections.abc import Callable

from vitrine.access.keys import Keys
from vitrine.access.rules import RIGHT, SHARE
from vitrine.access.tickets import (
    IMAGE,
    SEE,
    TOKEN,
    Ticket,
    key_of,
    narrow_to_image,
    sign_for_path,
    verify_ticket,
    viewer_network,
)
from vitrine.deliver.answer.access_paths import RESTRICTED, AccessPath, RightPath, SharePath
from vitrine.deliver.answer.viewer import ADDRESS_HEADER
from vitrine.deliver.http.exchange import Request
from vitrine.deliver.single_flight import SingleFlight
from vitrine.errors import (
    ServiceFailed,
    TicketRefused,
    TicketRequired,
    Unavailable,
    UnknownImage,
)
from vitrine.iiif.address import Address, parse_address
from vitrine.iiif.version import NEWEST
from vitrine.store.rights_table import RightsTable
from vitrine.store.ticket_keys import CachedTicketKeys, TicketKeys

TICKET_HEADER = "x-vitrine-ticket"
"""Header with the ticket that the edge verified, which replaces one that a viewer sent."""
NOBODY = "nobody"
_PATH = re.compile(
    rf"{RESTRICTED}(?P<right>{RIGHT})"
    r"(?:/(?P<shown>(?!iiif/)[!-.0-~]{1,1400}?|[0-9]{1,12}/[0-9a-z,]{1,59}/[0-9]{1,9}))?"
    r"(?P<rest>/iiif/[23]/.+)"
)


class TicketAdmission:
    """Judges tickets. Belongs to one event loop."""

    def __init__(
        self,
        keys: CachedTicketKeys,
        clock: Callable[[], float] = time.time,
        rights: RightsTable | None = None,
    ) -> None:
        self.rights = rights
        self._keys = keys
        self._clock = clock
        self._flight: SingleFlight[TicketKeys] = SingleFlight()

    async def admit(self, request: Request, path: str) -> tuple[AccessPath, Address]:
        """Return the door that a restricted path leads to, and what is asked for behind it.

        Raises UnknownImage, InvalidRequest, TicketRequired, Unavailable.
        """
        match = _PATH.fullmatch(path)
        address = parse_address(match["rest"]) if match else None
        if match is None or address is None:
            raise UnknownImage("there is no such restricted address")
        right, shown = match["right"], match["shown"] or ""
        if shown == NOBODY and right != SHARE and address.is_info:
            degrades = address.version is not NEWEST
            prefix = f"{RESTRICTED}{right}"
            return RightPath(right, prefix, is_admitted=False, degrades=degrades), address
        text = request.headers.get(TICKET_HEADER) or ""
        ticket, keys = await self._verify_ticket(request, text)
        # A path names a ticket only where the answer does as well.
        names_ticket = address.is_info and shown == text.rpartition(".")[2]
        prefix = f"{RESTRICTED}{right}"
        if right == SHARE:
            _check_share(ticket, keys, address)
            limits = f"{ticket.since}/{ticket.region}/{ticket.size}"
            if not names_ticket and shown != limits:
                raise TicketRequired("this link shows something else")
            # What all holders of such links share names none of their tickets.
            return SharePath(ticket, f"{prefix}/{text if address.is_info else limits}"), address
        if right not in ticket.rights or not _is_for(ticket, address):
            raise TicketRequired("this ticket is for something else")
        if shown and not names_ticket:
            raise TicketRequired("this is not the ticket that the edge verified")
        if ticket.use != TOKEN:
            # The ticket of one image does not open what it is called now.
            moves_to = prefix if ticket.use == IMAGE else ""
            return RightPath(
                right, f"{prefix}/{text}" if shown else prefix, moves_to=moves_to
            ), address
        named = _sign_image_ticket(text, ticket, address, keys.keys) if shown else ""
        return RightPath(right, f"{prefix}/{named}" if named else prefix, moves_to=prefix), address

    async def _verify_ticket(self, request: Request, text: str) -> tuple[Ticket, TicketKeys]:
        keys = self._keys.recall(key_of(text))
        if keys is None:
            try:
                keys = await self._flight.run("keys", self._read_keys)
            except ServiceFailed as error:
                raise Unavailable("the keys of tickets cannot be read now") from error
        network = viewer_network(request.headers.get(ADDRESS_HEADER) or "")
        try:
            return verify_ticket(text, keys.keys, self._clock(), network), keys
        except TicketRefused as refused:
            raise TicketRequired(f"this image needs a ticket: {refused.code}") from None

    async def _read_keys(self) -> TicketKeys:
        return await asyncio.to_thread(self._keys.read)


def _is_for(ticket: Ticket, address: Address) -> bool:
    """Return True if a ticket with the right shows what is asked for."""
    return (
        ticket.use == SEE
        or (ticket.use == TOKEN and address.is_info)
        or (ticket.use == IMAGE and ticket.identifier == address.normalised_identifier)
    )


def _sign_image_ticket(text: str, token: Ticket, address: Address, keys: Keys) -> str:
    """Return a ticket for one image that ends with this token; "" if the token's page gets none.

    Viewers of Authentication 1.0 find tiles by the address of the image alone, and some of them
    send no cookies there. The key is the token's: it is at the edge, and dropping it ends both.
    """
    if not token.page or not token.network:
        return ""
    key = key_of(text)
    ticket = narrow_to_image(token, address.normalised_identifier)
    return sign_for_path(ticket, address.path(), Keys({key: keys.secrets[key]}))


def _check_share(ticket: Ticket, keys: TicketKeys, address: Address) -> None:
    if ticket.use != SHARE or ticket.link in keys.revoked:
        raise TicketRequired("this link does not hold any more")
    if ticket.identifier != address.normalised_identifier:
        raise TicketRequired("this link shows another image")
