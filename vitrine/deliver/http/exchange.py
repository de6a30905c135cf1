"""A request and a response, independent of any server's types."""

import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

from vitrine.errors import STATUS, RequestError
from vitrine.trace import current_trace

Headers = tuple[tuple[str, str], ...]


class HeaderFields(Protocol):
    """A client's headers, by name in lower case: a dict, or the server's own, read on demand."""

    def get(self, name: str, /) -> str | None:
        """Return the value, or None."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """A client's request; `path` is percent-encoded as sent."""

    method: str
    path: str
    headers: HeaderFields = field(default_factory=dict[str, str])


class ReadyResponse(NamedTuple):
    """The answer to a GET, as bytes that need not be copied on their way."""

    head: bytes
    """Status line and headers, but neither Content-Length nor the empty line."""
    pieces: tuple[bytes | memoryview, ...]
    """The body, in order."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Response:
    """The answer to a request; header names are in lower case."""

    status: int
    headers: Headers = ()
    body: bytes = b""
    rest: AsyncGenerator[bytes] | None = None
    """Pieces that follow the body, where not all of it is in memory. The reader closes it."""

    def with_headers(self, headers: Headers) -> "Response":
        """Return the same response with more headers."""
        return replace(self, headers=self.headers + headers)


def json_response(status: int, document: object, headers: Headers = ()) -> Response:
    """Return a response with a small JSON body; a content type in `headers` replaces ours."""
    if not any(name == "content-type" for name, _ in headers):
        headers = (("content-type", "application/json"), *headers)
    body = json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
    return Response(status=status, headers=headers, body=body)


BUSY = 503
BULK = "/robots.txt"
"""Address to which a client that asks too much is pointed: it names the dumps, which cost nothing.
"""


def error_response(error: RequestError, headers: Headers = ()) -> Response:
    """Return the error's status, with its reason as `{"status": …, "reason": …, "trace": …}`."""
    status = STATUS[type(error)]
    return json_response(status, error_document(status, str(error)), headers)


def error_document(status: int, reason: str) -> dict[str, object]:
    """Return what the body of an error says; the trace finds the request in the logs."""
    document: dict[str, object] = {"status": status, "reason": reason}
    if status == BUSY:
        document["bulk"] = BULK
    if trace := current_trace():
        document["trace"] = trace
    return document
