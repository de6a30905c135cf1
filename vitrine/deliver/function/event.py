"""The event of a function URL as a request, and a response as what the Runtime API streams.

(Lambda, "Invoking Lambda function URLs", payload format 2.0; "Response streaming for Lambda
functions", with a custom runtime.)
"""

import gzip
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from vitrine.deliver.http.exchange import Headers, Request, Response
from vitrine.deliver.http.json_media import takes_encoding
from vitrine.trace import HEADER as TRACE_HEADER

BASE_HEADER = "x-public-base"
"""Scheme and host of the edge, as its function writes them: Lambda knows only its own host."""
PATH_HEADER = "x-request-uri"
"""The address as the edge's function wrote it: `rawPath` may be decoded, and `%2F` with it."""
EDGE_REQUEST_HEADER = "x-amz-cf-id"
COMPRESSED_FROM_BYTES = 256
"""As of our nginx. CloudFront compresses no answer without a length, as streamed ones are."""
_PASSED = (
    *("accept", "accept-encoding", "if-none-match", "if-modified-since"),
    "x-viewer-address",
    "x-viewer-signals",
    "x-vitrine-ticket",
)
"""Headers that the gateway reads, as in `containers/nginx/nginx.conf.template`."""
_TRACE = re.compile(r"(?:^|;)(Root=1-[0-9a-f]{8}-[0-9a-f]{24})(?:;|$)")
_PRELUDE_END = bytes(8)
_STATUSES_WITHOUT_BODY = frozenset({204, 304})
_GZIP_LEVEL = 6


@dataclass(frozen=True, kw_only=True)
class Invocation:
    """One request, and what the log says of it beyond the answer."""

    request: Request
    edge_request: str = ""


def read_event(event: Mapping[str, Any]) -> Invocation:
    """Return the request of an event. Raises KeyError or TypeError for any other event."""
    sent = {str(name).lower(): str(value) for name, value in event.get("headers", {}).items()}
    headers = {name: sent[name] for name in _PASSED if name in sent}
    base = urlsplit(sent.get(BASE_HEADER, ""))
    headers |= {
        "host": base.netloc or sent.get("host", ""),
        "x-forwarded-proto": base.scheme or "https",
    }
    if trace := _TRACE.search(sent.get(TRACE_HEADER, "")):
        headers[TRACE_HEADER] = trace[1]
    return Invocation(
        request=Request(
            method=event["requestContext"]["http"]["method"],
            path=sent.get(PATH_HEADER) or event["rawPath"],
            headers=headers,
        ),
        edge_request=sent.get(EDGE_REQUEST_HEADER, ""),
    )


def compress(request: Request, response: Response) -> Response:
    """Return the response with JSON compressed for who takes it, as our nginx does for tasks."""
    headers = dict(response.headers)
    if (
        "json" not in headers.get("content-type", "")
        or "content-encoding" in headers
        or len(response.body) < COMPRESSED_FROM_BYTES
    ):
        return response
    varied: Headers = (*response.headers, ("vary", "Accept-Encoding"))
    if not takes_encoding(request.headers.get("accept-encoding"), "gzip"):
        return replace(response, headers=varied)
    # Compressed bytes are others: the validator of the plain ones is a weak one for them.
    weak = tuple(
        (name, f"W/{value}" if name == "etag" and not value.startswith("W/") else value)
        for name, value in varied
    )
    body = gzip.compress(response.body, _GZIP_LEVEL, mtime=0)
    return Response(
        status=response.status, headers=(*weak, ("content-encoding", "gzip")), body=body
    )


def encode_response(method: str, response: Response) -> tuple[bytes, bytes]:
    """Return what a streamed answer begins with, and its body."""
    headers: dict[str, str] = {}
    for name, value in response.headers:
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    prelude = {"statusCode": response.status, "headers": headers}
    has_body = method != "HEAD" and response.status not in _STATUSES_WITHOUT_BODY
    return json.dumps(prelude).encode() + _PRELUDE_END, response.body if has_body else b""
