"""The headers of each kind of answer: its lifetime, its names, and who may read it."""

import hashlib
import math
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import format_datetime
from functools import lru_cache

from vitrine.deliver.http.exchange import Headers, Response
from vitrine.errors import (
    AccessDenied,
    ImageGone,
    InvalidRequest,
    RequestError,
    Unavailable,
    UnknownImage,
)
from vitrine.iiif.format import FORMATS
from vitrine.iiif.paths import image_path
from vitrine.iiif.request import ResolvedRequest
from vitrine.iiif.version import Version
from vitrine.records import Live
from vitrine.settings.deliver import DeliverSettings
from vitrine.store import layout

CORS: Headers = (
    ("access-control-allow-origin", "*"),
    ("access-control-expose-headers", "ETag, Link, Retry-After"),
)
PREFLIGHT: Headers = (
    ("access-control-allow-methods", "GET, HEAD, OPTIONS"),
    # The asterisk covers every header but this one (Fetch, "CORS-preflight fetch").
    ("access-control-allow-headers", "*, Authorization"),
    ("access-control-max-age", "86400"),
)
ALLOW: Headers = (("allow", "GET, HEAD, OPTIONS"),)
NO_STORE: Headers = (("cache-control", "no-store"),)
_LIFE = ("cache-control", "x-accel-expires")
MIN_SECONDS_KEPT = 2
"""An answer that caches could keep for less, they may not keep at all."""

_IMAGES_KEPT = 4_096
"""Number of images whose headers are kept, a kilobyte each."""
RENDERING_REVISION = 5
"""Part of the ETag: raise it when the same request starts to give other bytes."""
STALE_WHILE_REVALIDATE_SECONDS = 60
"""Seconds for which a cache may use an expired answer while it fetches the new one."""
STALE_IF_ERROR_SECONDS = 86_400
"""Seconds for which a cache may use an expired answer while the service fails."""

# Seconds that a browser and the edge keep answers other than images. Image information,
# redirects and tombstones change when a curator acts, and no purge reaches a browser.
_BRIEF = (60, 300)
_ERROR_LIFE: dict[type[RequestError], tuple[int, int]] = {
    InvalidRequest: _BRIEF,
    AccessDenied: _BRIEF,
    UnknownImage: (0, 10),
    ImageGone: _BRIEF,
}


def cache_control(browser_seconds: int, edge_seconds: int) -> Headers:
    """Return how long browsers and the edge may keep and bridge a good answer (RFC 5861)."""
    life = (
        f"{_cache_control(browser_seconds, edge_seconds)}"
        f", stale-while-revalidate={STALE_WHILE_REVALIDATE_SECONDS}"
        f", stale-if-error={STALE_IF_ERROR_SECONDS}"
    )
    return (("cache-control", life),)


def _cache_control(browser_seconds: int, edge_seconds: int) -> str:
    return f"public, max-age={browser_seconds}, s-maxage={edge_seconds}"


def statements(settings: DeliverSettings) -> Headers:
    """Return what the settings say to machines about the use of images and documents."""
    said = (
        ("x-robots-tag", settings.robots_tag),
        ("content-usage", settings.content_usage),
        ("tdm-reservation", settings.tdm_reservation),
        ("tdm-policy", settings.tdm_policy),
    )
    return tuple((name, value) for name, value in said if value)


def brief_life() -> Headers:
    """Return the lifetime of image information and redirects."""
    return cache_control(*_BRIEF)


def cache_tags(*tags: str) -> Headers:
    """Return the tags by each of which the edge drops an answer (`vitrine.store.layout`)."""
    return (("cache-tag", ",".join(tags)),)


def forbid_caching(response: Response) -> Response:
    """Return the response with `no-store`: neither the edge nor nginx may keep it."""
    kept = [item for item in response.headers if item[0] not in _LIFE]
    return replace(response, headers=(*kept, *NO_STORE))


def limit_life(response: Response, seconds: float) -> Response:
    """Return the response so that no cache, the browser's neither, uses it longer than `seconds`.

    Not while it fetches a new one, nor while the service fails. Infinity changes nothing.
    """
    if seconds < MIN_SECONDS_KEPT:
        return forbid_caching(response)
    if seconds == math.inf or ("cache-control", "no-store") in response.headers:
        return response
    kept = [item for item in response.headers if item[0] not in _LIFE]
    # Caches count whole seconds, some of them the one that has begun as well.
    browser, edge = (min(longest, int(seconds) - 1) for longest in _BRIEF)
    life = ("cache-control", _cache_control(browser, edge))
    return replace(response, headers=(*kept, life))


def rendering_revision(*choices: object) -> str:
    """Return the revision, with a digest of the settings that change an image's bytes."""
    digest = hashlib.sha256(repr(choices).encode()).hexdigest()[:8]
    return f"{RENDERING_REVISION}-{digest}" if choices else str(RENDERING_REVISION)


def image_etag(image: Live, revision: str = str(RENDERING_REVISION)) -> str:
    """Return the strong validator of every derivative of this version of the image."""
    return f'"{image.version}-{revision}"'


@lru_cache(maxsize=4096)
def publication(published_at: str) -> datetime | None:
    """Parse an RFC 3339 time, in whole seconds as HTTP writes them; None if it is malformed."""
    try:
        moment = datetime.fromisoformat(published_at)
    except ValueError:
        return None
    return moment.astimezone(UTC).replace(microsecond=0)


def last_modified(image: Live) -> Headers:
    """Return the header with the time at which this version was published."""
    moment = publication(image.published_at)
    return (("last-modified", format_datetime(moment, usegmt=True)),) if moment else ()


def links(canonical: str, version: Version) -> Headers:
    """Return the links to the canonical address and to the level of compliance."""
    value = f'<{canonical}>;rel="canonical", <{version.profile}>;rel="profile"'
    return (("link", value),)


def add_links(found: Headers, *values: str) -> Headers:
    """Return the headers with more links in the one that names them (RFC 8288)."""
    before = [value for name, value in found if name == "link"]
    others = [item for item in found if item[0] != "link"]
    return (*others, ("link", ", ".join([*before, *values])))


def error_headers(error: RequestError) -> Headers:
    """Return the headers of an error: its lifetime, and when to try again."""
    life = _ERROR_LIFE.get(type(error))
    headers: Headers = (("cache-control", _cache_control(*life)),) if life else NO_STORE
    if isinstance(error, Unavailable):
        headers += (("retry-after", str(error.retry_seconds)),)
    return headers


class ImageHeaders:
    """The headers of images: what all answers of one image share is made once.

    `life` is the Cache-Control of every image, with the statements to machines; `revision` names
    the settings that change bytes (`rendering_revision`).
    """

    def __init__(self, life: Headers, revision: str) -> None:
        self._life = life
        self._revision = revision
        self._known: dict[str, tuple[Live, Headers]] = {}

    def etag(self, image: Live) -> str:
        """Return the strong validator of everything made from this version of the image."""
        return image_etag(image, self._revision)

    def of(self, image: Live, resolved: ResolvedRequest, base: str) -> Headers:
        """Return the headers of a good answer to a request but CORS."""
        media_type = FORMATS[resolved.format].media_type
        return self.at(image, media_type, base, resolved.version, resolved.canonical)

    def at(
        self, image: Live, content_type: str, base: str, version: Version, canonical: str
    ) -> Headers:
        """Return the same for an address; `canonical` is relative to the base URI."""
        address = f"{base}{image_path(version, image.identifier)}/{canonical}"
        return (
            ("content-type", content_type),
            *links(address, version),
            *self._shared_headers(image),
        )

    def _shared_headers(self, image: Live) -> Headers:
        known = self._known.get(image.identifier)
        if known and known[0] is image:
            return known[1]
        if len(self._known) >= _IMAGES_KEPT:
            self._known.clear()  # rare, and cheap to make again
        made = (
            ("etag", self.etag(image)),
            *self._life,
            *last_modified(image),
            *cache_tags(
                layout.cache_tag(image.identifier), *layout.collection_tags(image.collections)
            ),
        )
        self._known[image.identifier] = image, made
        return made
