"""The cache policies of the edge: what it keeps, by which key, how long. One text for two edges.

`stacks/constructs` writes CloudFront's policies from it, `vitrine/local/edge` nginx's
configuration. The key is the path, without a query or a cookie. Image information and manifests are
also kept by the media type that their viewer accepts, of which the edge's function leaves two.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Literal

YEAR = 365 * 86_400
DAY = 86_400

CACHE_TAG_HEADER = "Cache-Tag"
"""Names an image in each of its answers, so that one invalidation drops them all."""


@dataclass(frozen=True, kw_only=True)
class Behavior:
    """How the edge treats the addresses of one kind."""

    name: str
    pattern: str
    """Pattern of paths; `*` matches anything, slashes too. The first that matches applies."""
    origin: Literal["images", "site"]
    default_seconds: int
    """Seconds for which a good answer is kept if the origin does not say."""
    maximum_seconds: int
    """No answer is kept, or used while stale, for longer, whatever the origin says."""
    compressed: bool
    """True if the edge compresses; it then keeps one copy per encoding."""
    key_headers: tuple[str, ...] = ()
    """Headers of the viewer's, as the edge's function leaves them, that are part of the key and go
    to the origin."""
    is_framed: bool = False
    """True if pages of anybody may frame its answers."""
    is_sandboxed: bool = False
    """True if its answers run programs of others: they get an origin that is nobody's."""
    is_desk: bool = False
    """True if its answers are the desk, from which one changes what is published."""
    is_restricted: bool = False
    """True if a function of its own lets only holders of tickets through. All of them get the copy
    that is kept here; viewers may not keep it, so that a ticket is shown each time."""


# The origin decides how long images are kept, and a purge ends it. The maximum is a year, since
# stale answers are used no longer. JPEGs do not get smaller by compression.
INFORMATION = Behavior(
    name="Information",
    pattern="/iiif/*/info.json",
    origin="images",
    default_seconds=DAY,
    maximum_seconds=YEAR,
    compressed=True,
    key_headers=("Accept",),
)
IMAGES = Behavior(
    name="Images",
    pattern="/iiif/*",
    origin="images",
    default_seconds=DAY,
    maximum_seconds=YEAR,
    compressed=False,
)
RESTRICTED_INFORMATION = replace(
    INFORMATION,
    name="RestrictedInformation",
    pattern="/restricted/*/info.json",
    is_restricted=True,
)
RESTRICTED_IMAGES = replace(
    IMAGES, name="RestrictedImages", pattern="/restricted/*", is_restricted=True
)
MANIFESTS = Behavior(
    name="Manifests",
    pattern="/presentation/*",
    origin="images",
    default_seconds=DAY,
    maximum_seconds=YEAR,
    compressed=True,
    key_headers=("Accept",),
)
FRAMES = Behavior(
    name="Frames",
    pattern="/embed/*",
    origin="site",
    default_seconds=60,
    maximum_seconds=3_600,
    compressed=True,
    is_framed=True,
)
OTHER_VIEWERS = Behavior(
    name="Viewers",
    pattern="/viewers/*",
    origin="site",
    default_seconds=60,
    maximum_seconds=3_600,
    compressed=True,
    is_sandboxed=True,
)
DESK = Behavior(
    name="Desk",
    pattern="/desk/*",
    origin="site",
    default_seconds=60,
    maximum_seconds=3_600,
    compressed=True,
    is_desk=True,
)
"""The desk, where an environment has one: next to `BEHAVIORS`."""
SITE = Behavior(
    name="Site",
    pattern="*",
    origin="site",
    default_seconds=60,
    maximum_seconds=3_600,
    compressed=True,
)
BEHAVIORS = (
    *(INFORMATION, IMAGES, RESTRICTED_INFORMATION, RESTRICTED_IMAGES),
    *(MANIFESTS, FRAMES, OTHER_VIEWERS, SITE),
)
"""In the order they are tried."""

INSIDE_PATTERN = "/inside/*"
"""Searches inside objects."""
AUTH_PATTERN = "/auth/*"
"""The services of access."""
PHOTOS_PATTERN = "/photos"
"""The photo door."""
MCP_PATTERN = "/mcp"
"""The endpoint for programs that speak the Model Context Protocol."""


def origin_patterns(*, with_photos: bool) -> list[str]:
    """Return the patterns of all paths that behaviors of the edge take from the image service.

    What serves the images behind the edge has to let all of them through. A pattern that another
    one covers is left out. `with_photos` is True if the image service is also the photo door.
    """
    images = [behavior.pattern for behavior in BEHAVIORS if behavior.origin == "images"]
    found = [*images, *([PHOTOS_PATTERN] if with_photos else [])]
    return [
        pattern
        for pattern in found
        if not any(fnmatchcase(pattern, other) for other in found if other != pattern)
    ]


ERROR_SECONDS: Mapping[int, int] = {
    **dict.fromkeys((404, 414), 5),
    **dict.fromkeys((500, 501, 503, 504), 1),
    502: 0,
}
"""Errors that CloudFront keeps even if no header allows it, and for how many seconds.

Its default is ten seconds (Developer Guide, "Control how long CloudFront caches errors"). A 502
costs the image task nothing, and is over as soon as a gateway has started again.
"""
KEPT_WHERE_ALLOWED = (200, 206, 301, 302, 303, 307, 308, 400, 403, 405, 412, 415)
"""Kept as Cache-Control allows; any other, above all 410, is requested from the origin again."""

RESTRICTED_LIFE = "private, no-cache"
"""Cache-Control of restricted answers, as viewers get them. The origin's is for the edge."""
TICKET_HEADER = "X-Vitrine-Ticket"
"""In which the edge's function hands the ticket to the gateway, and nobody else may."""

RESPONSE_HEADERS: Mapping[str, str] = {
    # A page that isolates itself (COEP) may embed only answers that have this header.
    "Cross-Origin-Resource-Policy": "cross-origin",
    # Pages of others may measure how long our images took them.
    "Timing-Allow-Origin": "*",
}
"""Added to every answer that comes from an origin."""

EXPOSED_HEADERS = ("ETag", "Link", "Retry-After")
"""Headers that scripts of other pages may read, of the gateway's answers and of the site's."""

PHOTO_METHODS = ("POST", "OPTIONS")
PHOTO_HEADERS = ("Authorization", "Content-Type")
"""Headers that pages of other origins may send to the photo door."""
PHOTO_EXPOSED_HEADERS = ("Retry-After",)
"""Headers that scripts of these pages may read from its answers."""

SEARCH_FIELDS = ("q", "motivation", "page", "min", "start", "ignored")
"""Fields in the query of a search in texts, as the edge's function writes it: part of the key."""

REFERRER_POLICY = "no-referrer"
"""Policy of pages: a link out of one does not say which image was looked at. Policy of restricted
answers: no log has the ticket in their address as the Referer of a page's icon."""
PERMISSIONS_POLICY = ", ".join(
    f"{feature}=()" for feature in ("camera", "geolocation", "microphone", "payment", "usb")
)
"""Policy of pages: no script in them may ask for what they never use."""
REMOVED_HEADERS = (
    "x-amz-bucket-region",
    "x-amz-delete-marker",
    "x-amz-id-2",
    "x-amz-request-id",
    "x-amz-server-side-encryption",
    "x-amz-server-side-encryption-bucket-key-enabled",
    "x-amz-storage-class",
    "x-amz-version-id",
)
"""Headers in which S3 describes itself, removed from answers with the site's files (CloudFront
allows ten)."""


ANYBODY = "*"
"""Value of frame-ancestors for pages that are made to be framed."""


def page_policy(behavior: Behavior, frame_ancestors: str, desk_sources: Sequence[str] = ()) -> str:
    """Return the Content-Security-Policy of a behavior's pages.

    `frame_ancestors` is the directive's value for pages that are not made to be framed;
    `desk_sources` are the origins, apart from its own, that the desk talks to.
    """
    if behavior.is_desk:
        return _desk_policy(desk_sources)
    if behavior.is_sandboxed:
        return _sandbox_policy(frame_ancestors)
    return content_security_policy(ANYBODY if behavior.is_framed else frame_ancestors)


def content_security_policy(frame_ancestors: str) -> str:
    """Return the Content-Security-Policy of the site; `frame_ancestors` is the directive's value.

    As a header and not as an element of the page, where `frame-ancestors` does not count.
    """
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; "
        "require-trusted-types-for 'script'; trusted-types 'none'; "
        f"frame-ancestors {frame_ancestors}"
    )


def _desk_policy(sources: Sequence[str]) -> str:
    """Return the policy of the desk, which nobody frames: a click in it changes what is published.

    It shows photographs that are still to be sent (`blob:`). It hands the preview of a page to a
    frame, by the one policy for trusted types that has a name here. That frame is sandboxed and
    inherits this policy: no script of the page is run.
    """
    reached = " ".join(["'self'", *sources])
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
        f"connect-src {reached}; frame-src 'self'; "
        "base-uri 'none'; form-action 'self'; "
        "require-trusted-types-for 'script'; trusted-types desk-preview; frame-ancestors 'none'"
    )


def _sandbox_policy(frame_ancestors: str) -> str:
    """Return the policy of pages that run Mirador or Universal Viewer.

    Both write styles and HTML from manifests, by means that the site's policy forbids. So they run
    in a sandbox, whose origin is nobody's: a script that a manifest smuggled in would find neither
    our cookies nor our storage, and could read of us what anybody can. A manifest may name images
    of other servers.
    """
    return (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' https: data: blob:; font-src 'self' data:; connect-src 'self' https:; "
        "base-uri 'none'; form-action 'none'; "
        "sandbox allow-scripts allow-forms allow-downloads allow-popups "
        "allow-popups-to-escape-sandbox; "
        f"frame-ancestors {frame_ancestors}"
    )


COMPRESSED_FROM_BYTES = 1_000
COMPRESSED_TYPES = (
    "application/json",
    "text/css",
    "text/javascript",
    "text/plain",
    "image/svg+xml",
)
"""CloudFront compresses these and others; text/html always."""
INFORMATION_COMPRESSED_FROM_BYTES = 256
"""The origin's nginx compresses image information itself: CloudFront's list of types lacks JSON-LD
(Developer Guide, "File types that CloudFront compresses")."""
