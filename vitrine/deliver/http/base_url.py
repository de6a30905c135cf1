"""Scheme and host that viewers use, for the URIs we write."""

import re

from vitrine.deliver.http.exchange import Request
from vitrine.errors import InvalidRequest

_HOST = re.compile(
    r"([a-z0-9]([a-z0-9.-]{0,252}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(:[0-9]{1,5})?", re.IGNORECASE
)


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
    if request.headers.get("x-forwarded-proto") == "http":
        return f"http://{host.lower()}"
    # CloudFront listens on no other port, and its cache knows the path alone: a viewer's odd Host
    # must not become everybody's address.
    return f"https://{re.sub(r':[0-9]+$', '', host.lower())}"
