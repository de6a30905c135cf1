"""The media type of image information: negotiated where the client says what it takes."""

from vitrine.iiif.version import V3, Version

_LINKED = "application/ld+json"
_PLAIN = "application/json"


def info_content_type(version: Version, accept: str | None) -> str:
    """Content type for an Accept header (Image API 3.0, section 5.1; 2.1, section 5.1).

    Version 3 is JSON-LD unless the client names other types (a browser shows plain JSON, and
    would offer JSON-LD for download); version 2 is plain unless the client names JSON-LD.
    """
    accept = accept or ""
    if _LINKED in accept:
        return _linked(version)
    if version is V3 and _PLAIN not in accept and "text/html" not in accept:
        return _linked(version)
    return _PLAIN


def _linked(version: Version) -> str:
    return f'{_LINKED};profile="{version.context}"' if version is V3 else _LINKED
