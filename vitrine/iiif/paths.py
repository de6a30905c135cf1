"""Paths as they are written, and their segments as they are read: the image's, and those below."""

import re
from urllib.parse import quote, unquote_to_bytes

from vitrine.errors import InvalidRequest
from vitrine.iiif.version import NEWEST, Version

ROOT = "/iiif/"
DOWNLOAD = "download.jpg"
"""End of the address of the whole image at full resolution, one of ours beyond the API."""
_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")


def image_path(version: Version, identifier: str) -> str:
    """Return the path of an image's base URI, percent-encoded."""
    return f"{ROOT}{version.number}/{quote(identifier, safe=':')}"


def download_path(identifier: str) -> str:
    """Return the path of the whole image at full resolution, percent-encoded."""
    return f"{image_path(NEWEST, identifier)}/{DOWNLOAD}"


def decode_segment(segment: str) -> str:
    """Percent-decode once. Raises InvalidRequest for a broken escape or text that is not UTF-8."""
    if "%" not in segment:
        return segment
    if _BROKEN_ESCAPE.search(segment):
        raise InvalidRequest("the address holds a % that starts no escape")
    try:
        return unquote_to_bytes(segment).decode()
    except UnicodeDecodeError:
        raise InvalidRequest("the address is not UTF-8") from None
