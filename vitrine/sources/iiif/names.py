"""Identifiers for what others publish, taken from its address: short, stable, recognisable."""

import re
from urllib.parse import unquote, urlsplit

from vitrine.identify.identifier import RESERVED, parse_identifier

_ROUTES = frozenset(
    {
        "api",
        "iiif",
        "iiif2",
        "iiif3",
        "iiif-img",
        "iiif-service",
        "iiif-presentation",
        "iiif_manifest",
    }
    | {"image", "images", "img", "thumbs", "image-service", "image-services", "iiifimageservice"}
    | {"loris", "loris2", "cantaloupe", "luna", "servlet", "digital", "ids", "fcgi-bin", "iipsrv"}
    | {"presentation", "manifest", "manifests", "collection", "collections", "object", "objects"}
    | {"item", "items", "id", "record", "records", "2", "3", "4", "2.0", "2.1", "3.0", "v1", "v2"}
    | {"v3", "v4"}
)
"""Segments of addresses that name a service, not a thing, if they come first."""
_DOCUMENTS = re.compile(
    r"(manifest|collection|index|iiif|info|presentation|canvas|v[23])([-_.]?v?[23])?(\.json(ld)?)?"
)
"""Segments that name a kind of document, if they come last."""


def image_identifier(address: str) -> str:
    """Return the identifier of an image from the address of its service, or of its file.

    It keeps what the old server called it: of `https://a.example/iiif/2/pudl%2F1.jp2` the
    identifier is `pudl/1.jp2`. Raises IdentifierRefused.
    """
    segments = _segments(address)
    while len(segments) > 1 and segments[0].lower() in _ROUTES:
        del segments[0]
    return parse_identifier("/".join(segments))


def object_identifier(address: str) -> str:
    """Return the identifier of an object from its manifest's address, or of a collection.

    Of `https://a.example/iiif/book1/manifest.json` it is `book1`. A name that is reserved is joined
    to what stands before it: of `…/fixtures/4/manifest.json` it is `fixtures-4`. Raises
    IdentifierRefused.
    """
    segments = [urlsplit(address).hostname or "", *_segments(address)]
    while len(segments) > 2 and _DOCUMENTS.fullmatch(segments[-1].lower()):
        del segments[-1]
    name = re.sub(r"\.json(ld)?$", "", segments[-1])
    if name in RESERVED:
        name = f"{segments[-2]}-{name}"
    return parse_identifier(name)


def _segments(address: str) -> list[str]:
    path = urlsplit(address).path
    return [unquote(segment) for segment in path.split("/") if segment]
