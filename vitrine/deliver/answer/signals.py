"""What the edge knows about the client: it decides when a request gives way, and refuses none.

The edge's function writes it into one header, whatever a client sends under that name. All of it
except the firewall's verdict comes from the client and can be forged. So it only changes the order
of what may be refused under pressure: tiles, kept derivatives and the sizes of info.json are
answered to everybody.
"""

from vitrine.deliver.answer.cost import ClientStanding
from vitrine.deliver.http.exchange import Request

SIGNALS_HEADER = "x-viewer-signals"
"""Three fields with commas: the firewall's word, Sec-Fetch-Site, the host of the Referer."""
_FIELDS = 3
_OF_THE_SITE = ("same-origin", "same-site")


def read_standing(request: Request, own_sites: frozenset[str]) -> ClientStanding:
    """Return who asks; `own_sites` are host names in lower case."""
    fields = (request.headers.get(SIGNALS_HEADER) or "").split(",")
    if len(fields) != _FIELDS:
        return ClientStanding.UNKNOWN
    bot, site, referrer = fields
    if bot:
        return ClientStanding.CRAWLER
    if site in _OF_THE_SITE or _is_own(referrer, own_sites):
        return ClientStanding.OWN
    return ClientStanding.UNKNOWN


def parse_sites(text: str) -> frozenset[str]:
    """Return the host names of a list with commas."""
    return frozenset(name.strip().lower() for name in text.split(",") if name.strip())


def _is_own(host: str, own_sites: frozenset[str]) -> bool:
    """Return True for a host of the list, and for any below one of them."""
    return any(host == site or host.endswith(f".{site}") for site in own_sites)
