"""Which derivatives nginx keeps on disk, and how it is told.

The gateway names what is kept after what it is: image version, rendering and canonical address.
So a kept derivative never goes stale, a re-published image is seen as soon as its record is, and
nothing needs to be purged: what no answer names any more falls out unused. A request takes two
steps. In the first, the gateway decides as always (moved, withdrawn, known, a tile?) and, where
a small derivative is to be given, hands over to nginx, which looks in its cache; only where it is
not there does nginx ask again, naming the derivative, and then it is rendered.
"""

import hashlib

from vitrine.deliver.http.exchange import Headers, Request, Response
from vitrine.iiif.request import ResolvedRequest

NAME_HEADER = "x-derivative"
"""Where nginx puts the name when it asks for the derivative; it blanks what a client sends."""
MAXIMUM_PIXELS = 2_000_000
"""Larger ones are rendered in their own pool, where a client that goes away frees its place:
nginx would go on waiting for what it is to keep."""
# Below it nginx looks in its cache; no client gets there.
_LOCATION = "/.derivative"
_KEEP_SECONDS = 30 * 86_400
"""Longer than nginx keeps what nobody asks for."""


def derivative_name(etag: str, canonical: str) -> str:
    """Name of the derivative at the canonical address (a whole URI) with this ETag: a path."""
    return f"{_LOCATION}/{hashlib.sha256(f'{etag} {canonical}'.encode()).hexdigest()[:40]}"


def is_kept(request: ResolvedRequest) -> bool:
    """Whether a derivative is small enough."""
    return request.width * request.height <= MAXIMUM_PIXELS


def hand_over(request: Request, name: str) -> Response | None:
    """The answer that sends nginx to its cache; None where nginx comes from there: render."""
    if request.headers.get(NAME_HEADER):
        return None
    return Response(status=200, headers=(("x-accel-redirect", name),))


def keep(request: Request, name: str) -> Headers:
    """What tells nginx to keep this good answer, if it is still the one that was named."""
    asked = request.headers.get(NAME_HEADER)
    return (("x-accel-expires", str(_KEEP_SECONDS if asked == name else 0)),) if asked else ()
