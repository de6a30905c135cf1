"""Requests exactly as our nginx writes them: one match instead of a parser's calls.

nginx sends its own request line and the headers that `containers/nginx/nginx.conf.template` names,
in that order; those with conditions, bodies or anything else take the general way, through
httptools. What is recognised here means the same there.
"""

import re

from vitrine.deliver.http.exchange import Request
from vitrine.deliver.http.fields import Fields

MAX_BYTES = 8 << 10

_PLAIN = re.compile(
    rb"GET [!-~]+ HTTP/1\.1\r\n"
    rb"Host: ([!-~]+)\r\n"
    rb"X-Request-Uri: ([!-~]+)\r\n"
    rb"X-Forwarded-Proto: ([a-z]+)\r\n"
    rb"(?:X-Viewer-Address: ([!-~]+)\r\n)?"
    rb"(?:X-Viewer-Signals: ([!-~]+)\r\n)?"
    rb"(?:X-Amzn-Trace-Id: ([!-~]+)\r\n)?"
    rb"(?:Accept: ([!-~](?:[ -~]*[!-~])?)\r\n)?"
    rb"\r\n"
)
_OPTIONAL = (b"x-viewer-address", b"x-viewer-signals", b"x-amzn-trace-id", b"accept")


def read_plain_request(data: bytes) -> Request | None:
    """Return the request, if the bytes are one of the usual form and nothing else."""
    match = _PLAIN.fullmatch(data) if len(data) <= MAX_BYTES else None
    if match is None:
        return None
    host, path, scheme, *optional = match.groups()
    values = {b"host": host, b"x-request-uri": path, b"x-forwarded-proto": scheme}
    for name, value in zip(_OPTIONAL, optional, strict=True):
        if value is not None:
            values[name] = value
    return Request(method="GET", path=path.decode("latin-1"), headers=Fields(values))
