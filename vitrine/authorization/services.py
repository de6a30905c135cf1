"""What the services of access work with."""

import hashlib
import hmac
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from vitrine.access.keys import Keys
from vitrine.access.rights import Access, Right
from vitrine.access.tickets import Ticket
from vitrine.authorization.provider import SignIn
from vitrine.ports import UseCounter

Subjects = Literal["hashed", "none"]
_DAY = 86_400

logger = logging.getLogger(__name__)


class Restrictions(Protocol):
    """Which right an image needs, by its identifier."""

    def find(self, identifier: str) -> "Restricted | None":
        """Return it, or None for an identifier that has no image. Raises TransientError."""
        ...


@dataclass(frozen=True, kw_only=True)
class Restricted:
    """An image, and who may see it."""

    identifier: str
    """As it is shown: redirects are followed."""
    shows: Literal["everything", "small", "nothing"]
    """Part of the image that everybody may see."""
    right: str = ""
    """Name of the right with which somebody sees everything, or ""."""


@dataclass(frozen=True, kw_only=True)
class AuthorizationServices:
    """Ports and settings of the services."""

    access: Callable[[], Access]
    """Returns the institution's current table of rights. Raises AccessRefused, TransientError."""
    keys: Callable[[], Keys]
    """Returns the keys of tickets. Raises TransientError."""
    sign_in: Callable[[], SignIn]
    """The provider's. Raises TransientError."""
    restrictions: Restrictions
    uses: UseCounter
    """Counts the uses of each way in."""
    audit: Callable[[Mapping[str, Any]], None]
    """Writes one record."""
    subjects: Subjects = "hashed"
    """Identity of people who signed in, as records keep it: hashed, or none."""
    base_url: str = ""
    """Scheme and host of the edge; empty: `x-public-base` of a request decides."""
    clock: Callable[[], float] = time.time


def record_admissions(
    services: AuthorizationServices, ticket: Ticket, rights: Mapping[str, Right], subject: str = ""
) -> None:
    """Write who was let in by which rules, and until when a ticket lets them: no name, no address.

    A subject is an HMAC whose key changes every day and with the keys of tickets: records of one
    day tell people apart, and nothing tells who they are.
    """
    common: dict[str, Any] = {"event": "admitted", "seconds": ticket.expires_at - ticket.issued_at}
    if subject and services.subjects == "hashed":
        keys = services.keys()
        salt = f"audit {int(services.clock() // _DAY)}"
        key = hmac.digest(keys.secrets[keys.current].encode(), salt.encode(), hashlib.sha256)
        common["subject"] = hmac.new(key, subject.encode(), hashlib.sha256).hexdigest()[:16]
    for name, right in rights.items():
        services.audit(common | {"right": name, "rule": right.kind})
