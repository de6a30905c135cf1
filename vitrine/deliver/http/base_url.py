"""The scheme and host that viewers use, for the URIs in answers."""

import re
from functools import lru_cache

from vitrine.deliver.http.exchange import Request
from vitrine.errors import InvalidRequest

_HOST = re.compile(
    r"([a-z0-9]([a-z0-9.-]{0,252}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(:[0-9]{1,5})?", re.IGNORECASE
)


def base_url(request: Request, public_base_url: str) -> str:
    """Return `public_base_url` if it is set, else the Host header's; without a trailing slash.

    The scheme is https unless nginx, which alone sets X-Forwarded-Proto, says http: only on one
    machine. Raises InvalidRequest for a malformed Host.
    """
    if public_base_url:
        return public_base_url.rstrip("/")
    host = request.headers.get("host") or ""
    return _base_of(host, request.headers.get("x-forwarded-proto") == "http")


@lru_cache(maxsize=1024)
def _base_of(host: str, is_plain: bool) -> str:
    if not _HOST.fullmatch(host):
        raise InvalidRequest("the Host header is not a host name")
    if is_plain:
        return f"http://{host.lower()}"
    # CloudFront listens on no other port, and its cache key is the path alone: the unusual Host of
    # one viewer must not get into the answers of all.
    return f"https://{re.sub(r':[0-9]+$', '', host.lower())}"
