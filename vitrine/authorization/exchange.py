"""A request of a browser or viewer, read."""

from collections.abc import Mapping
from dataclasses import dataclass

from vitrine.access.descriptions import AUTH
from vitrine.access.rights import ORIGIN, Access
from vitrine.authorization.services import AuthorizationServices

MAX_LANGUAGES = 10
_MAX_LANGUAGES = 500


@dataclass(frozen=True, kw_only=True)
class Visit:
    """What a request says, and what answers it."""

    services: AuthorizationServices
    access: Access
    headers: Mapping[str, str]
    fields: Mapping[str, str]
    """Fields of the query."""
    base: str
    """Scheme and host of the edge."""
    address: str
    """The viewer's, as the edge says it; "" if it does not."""

    @property
    def now(self) -> float:
        """Return the time, in seconds since 1970."""
        return self.services.clock()

    @property
    def callback(self) -> str:
        """Return where the provider sends people back to."""
        return f"{self.base}{AUTH}/callback"

    @property
    def origin(self) -> str | None:
        """Return the origin of the page with the viewer, "" if it says none, None for a wrong
        one."""
        origin = self.fields.get("origin", "")
        return origin if not origin or ORIGIN.fullmatch(origin) else None

    def allows(self, origin: str) -> bool:
        """Return True if pages of an origin may ask: our own pages always may."""
        return self.access.allows(origin) or self.names(origin)

    def names(self, origin: str) -> bool:
        """Return True if an origin is among those that the institution names, or our own."""
        return bool(origin) and origin in (*self.access.origins, self.base)

    @property
    def languages(self) -> tuple[str, ...]:
        """Return what Accept-Language has, in the order of the header, which browsers sort."""
        header = self.headers.get("accept-language", "")[:_MAX_LANGUAGES]
        names = (part.partition(";")[0].strip() for part in header.split(","))
        return tuple(name for name in names if name)[:MAX_LANGUAGES]
