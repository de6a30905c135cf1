"""Small derivatives that nginx keeps in memory, under names that the gateway gives them.

A name is a hash of all headers: image version, rendering, canonical address, tags. So what is in
the cache is never stale, a re-published image is seen as soon as its record is, and nothing has to
be purged: nginx drops what no answer names any more as unused. A request takes two steps. First the
gateway decides as always (moved, withdrawn, known, a tile?) and sends nginx to its cache for a
small derivative. Only if it is not there does nginx ask the gateway again, with the derivative's
name, and then it is rendered. What takes no longer than these steps, or is rarely asked for again,
has no name: it is rendered at once, and kept by its address alone (`address_cache`).
"""

import hashlib

from vitrine.deliver.answer.kept_answers import LARGE_ANSWERS, SMALL_ANSWERS
from vitrine.deliver.http.exchange import Headers, Request, Response
from vitrine.deliver.render.planes import MAX_THUMBNAIL_PIXELS
from vitrine.deliver.render.task import is_plain_jpeg
from vitrine.iiif.request import ResolvedRequest

NAME_HEADER = "x-derivative"
"""Header with the name when nginx asks for the derivative; nginx blanks one that a client sends."""
MAXIMUM_PIXELS = 2_500_000
"""Larger ones are rendered in their own pool, where a client that disconnects frees its slot:
nginx would go on waiting for what it is to keep."""
LARGE_PIXELS = 500_000
"""Larger ones are kept in a cache of their own, whose files may be larger."""
# nginx looks in its caches below this path; no client can reach it.
_LOCATION = "/.derivative"
_KEEP_SECONDS = 30 * 86_400
"""Longer than nginx keeps what nobody requests."""


def derivative_name(made: Headers, request: ResolvedRequest) -> str:
    """Return the path that names the derivative that is answered with these headers.

    They have its ETag and its canonical URI, and are kept with it: with other tags of collections,
    the edge would not forget it.
    """
    place = f"{_LOCATION}/large" if _is_large(request) else _LOCATION
    return f"{place}/{hashlib.sha256(repr(made).encode()).hexdigest()[:40]}"


def max_kept_bytes(request: ResolvedRequest) -> int:
    """Return the body of the largest answer that nginx may keep under a derivative's name."""
    return (LARGE_ANSWERS if _is_large(request) else SMALL_ANSWERS).max_bytes


def _is_large(request: ResolvedRequest) -> bool:
    return request.width * request.height > LARGE_PIXELS


def is_cacheable(request: ResolvedRequest) -> bool:
    """Return True if a derivative is small enough for nginx's cache."""
    return request.width * request.height <= MAXIMUM_PIXELS


def is_named(region: str, request: ResolvedRequest) -> bool:
    """Return True if nginx keeps a derivative under a name.

    `region` is as it was written. Not a thumbnail, and no detail, however it is spelt: of what
    everybody may see, only what nginx has in its buffers while a client takes it
    (`containers/nginx/nginx.conf.template`).
    """
    pixels = request.width * request.height
    if pixels > MAXIMUM_PIXELS or (pixels <= MAX_THUMBNAIL_PIXELS and is_plain_jpeg(request)):
        return False
    return region in ("full", "square")


def redirect_to_cache(request: Request, name: str, seconds: int) -> Response | None:
    """Return the answer that sends nginx to its cache, or None if nginx found nothing there.

    It may keep what it finds for some `seconds` under the address, too (`address_cache`).
    """
    if request.headers.get(NAME_HEADER):
        return None
    target = f"{name}?seconds={seconds}" if seconds else name
    return Response(status=200, headers=(("x-accel-redirect", target),))


def is_sent_to_cache(response: Response) -> bool:
    """Return True if nginx is sent to its cache: viewers do not get this answer."""
    return bool(response.headers) and response.headers[0][0] == "x-accel-redirect"


def cache_life(request: Request, name: str) -> Headers:
    """Return the header that has nginx keep a derivative, if it asked for this very name."""
    requested = request.headers.get(NAME_HEADER)
    if not requested:
        return ()
    return (("x-accel-expires", str(_KEEP_SECONDS if requested == name else 0)),)
