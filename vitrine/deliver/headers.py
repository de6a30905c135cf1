"""The headers of each kind of answer: how long it lives, what it is called, who may read it."""

from vitrine.deliver.exchange import Headers
from vitrine.errors import (
    ImageGone,
    InvalidRequest,
    RequestError,
    Unavailable,
    UnknownImage,
    UnsupportedRequest,
)
from vitrine.identify.record import Live
from vitrine.iiif.version import Version
from vitrine.store.layout import identifier_digest

CORS: Headers = (
    ("access-control-allow-origin", "*"),
    ("access-control-expose-headers", "ETag, Link"),
)
PREFLIGHT: Headers = (
    ("access-control-allow-methods", "GET, HEAD, OPTIONS"),
    ("access-control-allow-headers", "*"),
    ("access-control-max-age", "86400"),
)
ALLOW: Headers = (("allow", "GET, HEAD, OPTIONS"),)
NO_STORE: Headers = (("cache-control", "no-store"),)
RETRY_SECONDS = 2

RENDERING_REVISION = 1
"""Part of the ETag: to be raised when the same request starts to give other bytes."""

# Seconds that a browser and the edge keep what is not an image. Image information,
# redirects and tombstones change when a curator acts, and no purge reaches a browser.
_BRIEF = (60, 300)
_ERROR_LIFE: dict[type[RequestError], tuple[int, int]] = {
    InvalidRequest: _BRIEF,
    UnknownImage: (0, 10),
    ImageGone: _BRIEF,
    UnsupportedRequest: _BRIEF,
}


def cache_control(browser_seconds: int, edge_seconds: int) -> Headers:
    """How long browsers and the edge may keep the answer."""
    life = f"public, max-age={browser_seconds}, s-maxage={edge_seconds}"
    return (("cache-control", life),)


def brief_life() -> Headers:
    """The life of image information and redirects."""
    return cache_control(*_BRIEF)


def cache_tag(identifier: str) -> Headers:
    """The tag by which the edge drops everything of one identifier (tags are short ASCII)."""
    return (("cache-tag", f"i-{identifier_digest(identifier)[:32]}"),)


def image_etag(image: Live) -> str:
    """Strong validator of every derivative of this version of the image."""
    return f'"{image.version}-{RENDERING_REVISION}"'


def links(canonical: str, version: Version) -> Headers:
    """Link to the canonical address and to the level of compliance."""
    value = f'<{canonical}>;rel="canonical", <{version.profile}>;rel="profile"'
    return (("link", value),)


def error_headers(error: RequestError) -> Headers:
    """What goes with an error besides its reason."""
    life = _ERROR_LIFE.get(type(error))
    headers = cache_control(*life) if life else NO_STORE
    if isinstance(error, Unavailable):
        headers += (("retry-after", str(RETRY_SECONDS)),)
    return headers
