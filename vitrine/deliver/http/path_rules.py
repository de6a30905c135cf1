"""Rules for paths: what no address may hold is rejected before anything reads it.

The edge rejects the same (`stacks/functions/viewer_request.js`), so that a request that bypasses
the edge gets the same answer; a test compares the two.
"""

import re

from vitrine.deliver.http.exchange import Response
from vitrine.edge.missing_page import CONTENT_TYPE, MISSING_PAGE
from vitrine.errors import AddressTooLong, InvalidRequest

MAX_PATH_LENGTH = 2_048
"""Bytes. The longest identifier takes 765 of them when each of its bytes is escaped."""

_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_FOREIGN = re.compile(r"[^\x21-\x7e]|%[01][0-9A-Fa-f]|%7[Ff]")
"""Control characters, spaces and bytes beyond ASCII; the last two are allowed as escapes."""
_ESCAPED_DOT = re.compile(r"%2e", re.IGNORECASE)
_SLASH = re.compile(r"/|\\|%2f|%5c", re.IGNORECASE)

MISSING = Response(
    status=404,
    headers=(("content-type", f"{CONTENT_TYPE}; charset=utf-8"), ("cache-control", "no-store")),
    body=MISSING_PAGE.encode(),
)
"""Answer where the site has no page: the edge asks the gateway then."""


def is_page(path: str) -> bool:
    """Return True if a path is neither an image's nor a document's."""
    return not path.startswith(("/iiif/", "/presentation/"))


def check_path(path: str) -> None:
    """Check a path as the client sent it. Raises AddressTooLong and InvalidRequest."""
    if len(path) > MAX_PATH_LENGTH:
        raise AddressTooLong(f"the address is longer than {MAX_PATH_LENGTH} bytes")
    if _BROKEN_ESCAPE.search(path):
        raise InvalidRequest("the address holds a % that starts no escape")
    if _FOREIGN.search(path):
        raise InvalidRequest("the address holds a character that no address may hold")
    # In most paths the only dot is the one before the format.
    if "/." in path or "%" in path or "\\" in path:
        _check_segments(path)


def _check_segments(path: str) -> None:
    segments = _SLASH.split(_ESCAPED_DOT.sub(".", path))
    if "." in segments or ".." in segments:
        raise InvalidRequest('the address holds a "." or ".." segment')
