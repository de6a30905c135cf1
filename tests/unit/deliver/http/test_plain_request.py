"""A request in the form of our nginx means what the parser says, and any other is the parser's."""

import asyncio
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from vitrine.deliver.http.exchange import ReadyResponse, Request
from vitrine.deliver.http.plain_request import read_plain_request
from vitrine.deliver.server import connection
from vitrine.deliver.server.connection import Connections

TEMPLATE = Path(__file__).parents[4] / "containers/nginx/nginx.conf.template"
PLAIN = (
    "GET /a%20b HTTP/1.1",
    "Host: images.example.org:8080",
    "X-Request-Uri: /a%20b?c",
    "X-Forwarded-Proto: https",
)
OPTIONAL = (
    "X-Viewer-Address: 192.0.2.1:99",
    "X-Viewer-Signals: ,same-site,museum.example",
    "X-Amzn-Trace-Id: Root=1-67891233-abcdef012345678912345678",
    "Accept: image/avif, */*;q=0.8",
)
NAMES = (
    *("host", "x-request-uri", "x-forwarded-proto", "x-viewer-address", "x-viewer-signals"),
    "x-amzn-trace-id",
)


def written(*lines: str) -> bytes:
    return "".join(f"{line}\r\n" for line in (*lines, "")).encode("latin-1")


def parse(data: bytes) -> list[Request]:
    """The requests that the parser finds in the bytes, with no look at their form."""
    seen: list[Request] = []

    def note(request: Request) -> ReadyResponse:
        seen.append(request)
        return ReadyResponse(b"", ())

    gateway: Any = SimpleNamespace(respond_now=note)
    accepted = Connections(gateway).accept()
    transport = Mock(spec_set=asyncio.Transport)
    transport.is_closing.return_value = False
    accepted.connection_made(transport)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connection, "read_plain_request", lambda _: None)
        accepted.data_received(data)
    return seen


def fields(request: Request) -> tuple[str, str, list[str | None]]:
    read = request.headers.get
    return (
        request.method,
        request.path,
        [read(name) for name in (*NAMES, "accept", "if-none-match")],
    )


@pytest.mark.parametrize("count", range(len(OPTIONAL) + 1))
def test_what_nginx_sends_is_read_without_the_parser(count: int) -> None:
    data = written(*PLAIN, *OPTIONAL[:count])
    request = read_plain_request(data)
    assert request
    [parsed] = parse(data)
    assert fields(request) == fields(parsed)


def test_the_form_has_the_headers_of_nginx_in_its_order() -> None:
    """A header that the template gains or moves sends every tile through the parser."""
    named = re.findall(r"proxy_set_header ([A-Za-z-]+) (?!\"\")", TEMPLATE.read_text())
    # Of tiles, none has any of these: Brotli is for manifests, tickets for restricted images.
    conditional = [
        *("Accept-Encoding", "If-None-Match", "If-Modified-Since", "X-Derivative"),
        "X-Vitrine-Ticket",
    ]
    assert named == [line.partition(":")[0] for line in (*PLAIN[1:], *OPTIONAL)] + conditional


line = st.sampled_from(
    (
        *(*PLAIN, *OPTIONAL),
        *("GET / HTTP/1.0", "HEAD / HTTP/1.1", "GET  / HTTP/1.1", "GET /\xe9 HTTP/1.1"),
        *("Host: a b", "Host:", "host: other", "Connection: close", "Content-Length: 3", "abc"),
        *("Transfer-Encoding: chunked", 'If-None-Match: "x"', "X-Derivative: /.derivative/0"),
        *("Accept: a ", "Accept:  a", "Accept: \t", "X-Request-Uri: /other", " folded", ""),
    )
)


@given(lines=st.lists(line, max_size=5), at=st.integers(0, 8), rest=st.sampled_from((b"", b"GET ")))
@example(lines=[], at=0, rest=b"")
@example(lines=["Accept: a "], at=4, rest=b"")
def test_nothing_is_read_otherwise_than_by_the_parser(
    lines: list[str], at: int, rest: bytes
) -> None:
    data = written(*PLAIN[:at], *lines, *PLAIN[at:]) + rest
    request = read_plain_request(data)
    if request is not None:
        assert [fields(found) for found in parse(data)] == [fields(request)]
