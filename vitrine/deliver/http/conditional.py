"""Conditional requests (RFC 9110, section 13): an answer the client has is not sent again."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from vitrine.deliver.http.exchange import HeaderFields, Headers, Request, Response

_CONDITIONS = frozenset({"if-none-match", "if-modified-since"})

# The headers that a 304 repeats (RFC 9110, section 15.4.5), and those of CORS and invalidation.
_KEPT_BY_304 = frozenset(
    {
        *("cache-control", "content-location", "etag", "expires", "vary", "cache-tag"),
        *("access-control-allow-origin", "access-control-expose-headers"),
    }
)


def is_conditional(request: Request) -> bool:
    """Return True if the client has an answer and requests only a newer one."""
    headers = request.headers
    return bool(headers.get("if-none-match") or headers.get("if-modified-since"))


@dataclass(frozen=True)
class _Unconditional:
    """The headers of a request, less its conditions."""

    headers: HeaderFields

    def get(self, name: str, /) -> str | None:
        return None if name in _CONDITIONS else self.headers.get(name)


def without_conditions(request: Request) -> Request:
    """Return the request as from a client that has no answer yet.

    For an answer that no cache may keep: as a 304 it would say so in vain. nginx takes any 304 for
    leave to keep what it has, for as long as its own configuration says.
    """
    return replace(request, headers=_Unconditional(request.headers))


def respond_if_known(request: Request, headers: Headers) -> Response | None:
    """Return a 304 if the client has the answer with these headers, by RFC 9110, section 13.2.2.

    If-None-Match decides if it is sent, by weak comparison with the ETag, which every answer has;
    else If-Modified-Since, against Last-Modified, if both are there and can be read. The 304 has
    those of the headers that it repeats.
    """
    if not (is_conditional(request) and _is_known(request, dict(headers))):
        return None
    return Response(status=304, headers=tuple(one for one in headers if one[0] in _KEPT_BY_304))


def _is_known(request: Request, validators: Mapping[str, str]) -> bool:
    named = request.headers.get("if-none-match")
    if named is not None:
        tags = {part.strip().removeprefix("W/") for part in named.split(",")}
        return "*" in tags or validators["etag"].removeprefix("W/") in tags
    since = _read_date(request.headers.get("if-modified-since"))
    modified = _read_date(validators.get("last-modified"))
    if since is None or modified is None or request.method not in ("GET", "HEAD"):
        return False
    return modified <= since


def _read_date(text: str | None) -> datetime | None:
    try:
        date = parsedate_to_datetime(text or "")
    except ValueError:
        return None
    # A date without a zone is in one of HTTP's obsolete forms, all of which mean UTC.
    return date.replace(tzinfo=UTC) if date.tzinfo is None else date


def document_if_changed(request: Request, response: Response) -> Response:
    """Return a document, or a 304 if the client has it; the first header is its media type."""
    etag = document_etag(response.body, response.headers[0][1])
    response = response.with_headers((("etag", etag),))
    return respond_if_known(request, response.headers) or response


def document_etag(document: bytes, content_type: str) -> str:
    """Return the validator of a document under one of its media types.

    It is weak, since nginx and the edge compress documents, and each form has other bytes.
    """
    digest = hashlib.sha256(content_type.encode() + b"\n" + document).hexdigest()
    return f'W/"{digest[:32]}"'
