"""Connections from nginx to the gateway: HTTP/1.1, one request at a time, kept alive.

uvloop and httptools (the parser of Node.js) do the work. A server between them and the gateway
costs several times what the gateway itself does for a tile (docs/adr/0008).
"""

import asyncio
from collections import deque
from http import HTTPStatus
from typing import cast

import httptools

from vitrine.deliver.answer.gateway import Gateway
from vitrine.deliver.http.exchange import Request, Response, error_response
from vitrine.deliver.http.headers import NO_STORE
from vitrine.errors import InvalidRequest

RAW_PATH = b"x-request-uri"
"""Where nginx puts the address as the client wrote it: the one it sends itself is decoded."""
MAXIMUM_HEADER_BYTES = 128 << 10
"""Size of one request's headers; nginx accepts half as much."""
MAXIMUM_WAITING = 16
"""Requests that may follow one under way; nginx sends no such requests."""

_STATUS_LINES = {
    status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode() for status in HTTPStatus
}
_WITHOUT_LENGTH = frozenset({204, 304})
_UNREADABLE = error_response(InvalidRequest("the request cannot be read"), NO_STORE)


class Fields:
    """The headers of a request, decoded when they are read."""

    __slots__ = ("_values",)

    def __init__(self) -> None:
        self._values: dict[bytes, bytes] = {}

    def add(self, name: bytes, value: bytes) -> None:
        """Add a header; the last of several values counts."""
        self._values[name.lower()] = value

    def raw(self, name: bytes) -> bytes | None:
        """Return the value of a name in lower case, or None."""
        return self._values.get(name)

    def get(self, name: str, /) -> str | None:
        """See HeaderFields."""
        value = self._values.get(name.encode())
        return None if value is None else value.decode("latin-1")


class Connections:
    """The open connections of one gateway."""

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway
        self.requests = 0
        """Number of requests begun so far, over all connections."""
        self.under_way = 0
        """Number of requests that are not answered yet."""

    def accept(self) -> "Connection":
        """Return the protocol of a new connection."""
        return Connection(self)


class Connection(asyncio.Protocol):
    """Parses requests, calls the gateway, and writes its answers in the order of the requests.

    When nginx closes the connection, the work for it is cancelled.
    """

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._gateway = connections.gateway
        self._transport: asyncio.Transport
        self._parser = httptools.HttpRequestParser(self)
        self._url = b""
        self._fields = Fields()
        self._header_bytes = 0
        self._work: asyncio.Task[None] | None = None
        self._waiting: deque[tuple[Request, bool]] = deque()

    # asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See asyncio.Protocol."""
        # uvloop's transports are not subclasses of asyncio's.
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """See asyncio.Protocol."""
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            self._reject()
        except httptools.HttpParserError:
            self._reject()

    def connection_lost(self, error: Exception | None) -> None:
        """See asyncio.Protocol."""
        self._waiting.clear()
        if self._work:
            self._work.cancel()

    # httptools

    def on_message_begin(self) -> None:
        """Begin a request."""
        self._url, self._fields, self._header_bytes = b"", Fields(), 0

    def on_url(self, part: bytes) -> None:
        """Add a piece of its address."""
        self._url += part
        self._count_header_bytes(len(part))

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add one of its headers."""
        self._fields.add(name, value)
        self._count_header_bytes(len(name) + len(value))

    def on_message_complete(self) -> None:
        """Answer the complete request, or queue it behind the one under way."""
        path = self._fields.raw(RAW_PATH) or self._url
        request = Request(
            method=self._parser.get_method().decode(),
            path=path.decode("latin-1"),
            headers=self._fields,
        )
        keep = self._parser.should_keep_alive()
        self._connections.requests += 1
        if self._work:
            self._waiting.append((request, keep))
            if len(self._waiting) > MAXIMUM_WAITING:
                self._reject()
        else:
            self._begin(request, keep)

    def _count_header_bytes(self, size: int) -> None:
        self._header_bytes += size
        if self._header_bytes > MAXIMUM_HEADER_BYTES:
            raise httptools.HttpParserError("the headers are too long")

    def _begin(self, request: Request, keep: bool) -> None:
        response = self._gateway.respond_now(request)
        if response is not None:
            self._write(request.method, response, keep)
            return
        self._connections.under_way += 1
        self._work = asyncio.get_running_loop().create_task(self._respond(request, keep))
        self._work.add_done_callback(self._end_request)

    async def _respond(self, request: Request, keep: bool) -> None:
        self._write(request.method, await self._gateway.respond(request), keep)

    def _end_request(self, work: asyncio.Task[None]) -> None:
        self._connections.under_way -= 1
        self._work = None
        if not work.cancelled():
            work.result()
        if self._waiting and not self._transport.is_closing():
            self._begin(*self._waiting.popleft())

    def _write(self, method: str, response: Response, keep: bool) -> None:
        """Write head and body together: apart, they would cost a delayed acknowledgement."""
        if self._transport.is_closing():
            return
        self._transport.write(_encode_head(response, keep))
        if response.body and method != "HEAD":
            self._transport.write(response.body)
        if not keep:
            self._transport.close()

    def _reject(self) -> None:
        self._waiting.clear()
        self._write("GET", _UNREADABLE, keep=False)


def _encode_head(response: Response, keep: bool) -> bytes:
    lines = [f"{name}: {value}\r\n" for name, value in response.headers]
    if response.status not in _WITHOUT_LENGTH:
        lines.append(f"content-length: {len(response.body)}\r\n")
    if not keep:
        lines.append("connection: close\r\n")
    lines.append("\r\n")
    return _STATUS_LINES[response.status] + "".join(lines).encode("latin-1", "replace")
