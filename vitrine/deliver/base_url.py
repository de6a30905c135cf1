"""Scheme and host that viewers use, for the URIs we write."""

import re

from vitrine.deliver.exchange import Request
from vitrine.errors import InvalidRequest

_HOST = re.compile(
    r"([a-z0-9]([a-z0-9.-]{0,252}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(:[0-9]{1,5})?", re.IGNORECASE
)
_SCHEMES = ("http", "https")


def base_url(request: Request, public_base_url: str) -> str:
    """`public_base_url` where it is set, else what the Host header says, without trailing slash.

    The scheme is https unless nginx, which alone sets X-Forwarded-Proto, says http: it does
    on one machine only. Raises InvalidRequest for a Host that is none.
    """
    if public_base_url:
        return public_base_url.rstrip("/")
    host = request.headers.get("host") or ""
    if not _HOST.fullmatch(host):
        raise InvalidRequest("the Host header names no host")
    scheme = request.headers.get("x-forwarded-proto")
    return f"{scheme if scheme in _SCHEMES else 'https'}://{host.lower()}"
