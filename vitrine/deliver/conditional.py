"""Conditional requests (RFC 9110, section 13): a known answer is not sent again."""

import hashlib

from vitrine.deliver.exchange import Request, Response


def is_known(request: Request, etag: str) -> bool:
    """Whether If-None-Match names `etag`; the comparison is weak, as the RFC wants."""
    named = request.headers.get("if-none-match", "")
    tags = {part.strip().removeprefix("W/") for part in named.split(",")}
    return "*" in tags or etag in tags


def if_changed(request: Request, etag: str, response: Response) -> Response:
    """The response, or 304 with its headers where the client has it already."""
    return Response(status=304, headers=response.headers) if is_known(request, etag) else response


def body_etag(body: bytes) -> str:
    """A validator for a small body."""
    return f'"{hashlib.sha256(body).hexdigest()[:32]}"'
