"""Conditional requests (RFC 9110, section 13): an answer the client has is not sent again."""

import hashlib
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from vitrine.deliver.http.exchange import (
    HeaderFields,
    Headers,
    Request,
    Response,
    json_response,
)

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


def is_known(request: Request, etag: str, modified: datetime | None = None) -> bool:
    """Return True if the client has the answer, by the precedence of RFC 9110, section 13.2.2.

    If-None-Match decides if it is sent, by weak comparison (`etag` may be weak); else
    If-Modified-Since, against `modified`, if that is known and the date can be read.
    """
    named = request.headers.get("if-none-match")
    if named is not None:
        tags = {part.strip().removeprefix("W/") for part in named.split(",")}
        return "*" in tags or etag.removeprefix("W/") in tags
    since = request.headers.get("if-modified-since")
    if since is None or modified is None or request.method not in ("GET", "HEAD"):
        return False
    return _is_since(modified, since)


def _is_since(modified: datetime, text: str) -> bool:
    try:
        since = parsedate_to_datetime(text)
    except ValueError:
        return False
    # A date without a zone is in one of HTTP's obsolete forms, all of which mean UTC.
    since = since.replace(tzinfo=UTC) if since.tzinfo is None else since
    return modified.replace(microsecond=0) <= since


def not_modified(response: Response) -> Response:
    """Return a 304 in place of `response`, with those of its headers that a 304 has."""
    kept = tuple(header for header in response.headers if header[0] in _KEPT_BY_304)
    return Response(status=304, headers=kept)


def respond_if_known(
    request: Request, etag: str, modified: datetime | None, headers: Headers
) -> Response | None:
    """Return a 304 with those of the `headers` that it has, if the client has the answer."""
    known = is_known(request, etag, modified)
    return not_modified(Response(status=200, headers=headers)) if known else None


def respond_if_changed(request: Request, etag: str, response: Response) -> Response:
    """Return the response, or a 304 if the client has it."""
    return not_modified(response) if is_known(request, etag) else response


def json_if_changed(request: Request, document: object, headers: Headers) -> Response:
    """Return a JSON document, or a 304 if the client has it; the first header is its media type."""
    response = json_response(200, document, headers)
    etag = document_etag(response.body, headers[0][1])
    return respond_if_changed(request, etag, response.with_headers((("etag", etag),)))


def document_etag(document: bytes, content_type: str) -> str:
    """Return the validator of a document under one of its media types.

    It is weak, since nginx and the edge compress documents, and each form has other bytes.
    """
    digest = hashlib.sha256(content_type.encode() + b"\n" + document).hexdigest()
    return f'W/"{digest[:32]}"'
