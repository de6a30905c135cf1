"""Conditional requests (RFC 9110, section 13): a known answer is not sent again."""

import hashlib
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from vitrine.deliver.http.exchange import Request, Response

# What a 304 repeats (RFC 9110, section 15.4.5), and what says who may read it and how to drop it.
_KEPT_BY_304 = frozenset(
    {
        *("cache-control", "content-location", "etag", "expires", "vary", "cache-tag"),
        *("access-control-allow-origin", "access-control-expose-headers"),
    }
)


def is_conditional(request: Request) -> bool:
    """Whether the client has some answer already, and asks for a newer one only."""
    headers = request.headers
    return bool(headers.get("if-none-match") or headers.get("if-modified-since"))


def is_known(request: Request, etag: str, modified: datetime | None = None) -> bool:
    """Whether the client has the answer already: the precedence of RFC 9110, section 13.2.2.

    If-None-Match decides where it is sent, by weak comparison; else If-Modified-Since, against
    `modified`, where that is known and the date can be read.
    """
    named = request.headers.get("if-none-match")
    if named is not None:
        tags = {part.strip().removeprefix("W/") for part in named.split(",")}
        return "*" in tags or etag in tags
    since = request.headers.get("if-modified-since")
    if since is None or modified is None or request.method not in ("GET", "HEAD"):
        return False
    return _is_since(modified, since)


def _is_since(modified: datetime, text: str) -> bool:
    try:
        since = parsedate_to_datetime(text)
    except ValueError:
        return False
    # A date without zone is one of HTTP's obsolete forms, all of which mean UTC.
    since = since.replace(tzinfo=UTC) if since.tzinfo is None else since
    return modified.replace(microsecond=0) <= since


def not_modified(response: Response) -> Response:
    """304 in place of `response`, with those of its headers that belong there."""
    kept = tuple(header for header in response.headers if header[0] in _KEPT_BY_304)
    return Response(status=304, headers=kept)


def if_changed(request: Request, etag: str, response: Response) -> Response:
    """The response, or 304 where the client has it already."""
    return not_modified(response) if is_known(request, etag) else response


def body_etag(body: bytes) -> str:
    """A validator for a small body."""
    return f'"{hashlib.sha256(body).hexdigest()[:32]}"'
