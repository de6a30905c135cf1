"""Connections from nginx to the gateway: HTTP/1.1, one request at a time, kept alive.

uvloop and httptools (the parser of Node.js) do the work. A server between them and the gateway
costs several times what the gateway itself does for a tile (docs/adr/0008).
"""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import cast

import httptools

from vitrine.deliver.answer.gateway import Gateway
from vitrine.deliver.http.exchange import ReadyResponse, Request, Response, error_response
from vitrine.deliver.http.fields import RAW_PATH, Fields
from vitrine.deliver.http.head import encode_head, end_head
from vitrine.deliver.http.headers import NO_STORE
from vitrine.deliver.http.plain_request import read_plain_request
from vitrine.errors import InvalidRequest

MAXIMUM_HEADER_BYTES = 128 << 10
"""Size of one request's headers; nginx accepts half as much."""
MAXIMUM_WAITING = 16
"""Requests that may follow one under way; nginx sends no such requests."""

MAX_STREAM_SECONDS = 3_600.0
"""Seconds for an answer that is sent while it is made: 150 MB at 42 kB/s. nginx ends one of which
its client takes nothing for ten minutes."""

_CLOSE = b"connection: close\r\n"
_WITHOUT_LENGTH = frozenset({204, 304})
_CHUNKED = b"transfer-encoding: chunked\r\n\r\n"
_LAST_CHUNK = b"0\r\n\r\n"
_UNREADABLE = error_response(InvalidRequest("the request cannot be read"), NO_STORE)

logger = logging.getLogger(__name__)


class Connections:
    """The open connections of one gateway."""

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway
        self.requests = 0
        """Number of requests begun so far, over all connections."""
        self.under_way = 0
        """Number of requests that are not answered yet."""
        self._open: set[asyncio.Transport] = set()

    @property
    def is_idle(self) -> bool:
        """True if every request was answered, and nginx has taken all of every answer."""
        return not self.under_way and not any(
            transport.get_write_buffer_size() for transport in self._open
        )

    def add(self, transport: asyncio.Transport) -> None:
        """Note that a connection is open."""
        self._open.add(transport)

    def discard(self, transport: asyncio.Transport) -> None:
        """Note that it is closed."""
        self._open.discard(transport)

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
        self._url: bytes
        self._fields: Fields
        self._header_bytes: int
        self._is_within_request = False
        """True while the parser has part of a request."""
        self._work: asyncio.Task[None] | None = None
        self._waiting: deque[tuple[Request, bool]] = deque()
        self._is_taking = asyncio.Event()
        """Set while nginx takes what is written."""
        self._is_taking.set()

    # asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See asyncio.Protocol."""
        # uvloop's transports are not subclasses of asyncio's.
        self._transport = cast("asyncio.Transport", transport)
        self._connections.add(self._transport)

    def data_received(self, data: bytes) -> None:
        """See asyncio.Protocol."""
        if not (self._is_within_request or self._work) and (request := read_plain_request(data)):
            self._connections.requests += 1
            self._begin_request(request, keep=True)
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            self._reject_request()
        except httptools.HttpParserError:
            self._reject_request()

    def connection_lost(self, error: Exception | None) -> None:
        """See asyncio.Protocol."""
        self._connections.discard(self._transport)
        self._waiting.clear()
        if self._work:
            self._work.cancel()

    def pause_writing(self) -> None:
        """See asyncio.BaseProtocol."""
        self._is_taking.clear()

    def resume_writing(self) -> None:
        """See asyncio.BaseProtocol."""
        self._is_taking.set()

    # httptools

    def on_message_begin(self) -> None:
        """Begin a request."""
        self._is_within_request = True
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
        self._is_within_request = False
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
                self._reject_request()
        else:
            self._begin_request(request, keep)

    def _count_header_bytes(self, size: int) -> None:
        self._header_bytes += size
        if self._header_bytes > MAXIMUM_HEADER_BYTES:
            raise httptools.HttpParserError("the headers are too long")

    def _begin_request(self, request: Request, keep: bool) -> None:
        ready = self._gateway.respond_now(request)
        if ready is not None:
            self._write_ready(ready, keep)
            return
        self._connections.under_way += 1
        self._work = asyncio.get_running_loop().create_task(self._respond_streaming(request, keep))
        self._work.add_done_callback(self._end_request)

    async def _respond_streaming(self, request: Request, keep: bool) -> None:
        response = await self._gateway.respond(request)
        if response.rest is None:
            self._write_response(request.method, response, keep)
            return
        try:
            async with asyncio.timeout(MAX_STREAM_SECONDS), aclosing(response.rest) as rest:
                await self._stream_pieces(response, rest, keep)
        except Exception as error:
            # Without its last chunk, nobody takes the answer for a whole one.
            logger.warning("The answer to %s was cut off: %r", request.path, error)
            self._transport.abort()

    async def _stream_pieces(
        self, response: Response, rest: AsyncGenerator[bytes], keep: bool
    ) -> None:
        """Write an answer piece by piece, each one made when the one before it was taken."""
        head = encode_head(response.status, response.headers) + (b"" if keep else _CLOSE)
        self._transport.writelines((head, _CHUNKED, *_frame_chunk(response.body)))
        await self._is_taking.wait()
        async for piece in rest:
            self._transport.writelines(_frame_chunk(piece))
            await self._is_taking.wait()
        self._send_bytes(_LAST_CHUNK, keep=keep)

    def _end_request(self, work: asyncio.Task[None]) -> None:
        self._connections.under_way -= 1
        self._work = None
        if not work.cancelled():
            work.result()
        if self._waiting and not self._transport.is_closing():
            self._begin_request(*self._waiting.popleft())

    def _write_ready(self, ready: ReadyResponse, keep: bool) -> None:
        length = sum(map(len, ready.pieces))
        close = b"" if keep else _CLOSE
        self._send_bytes(b"".join((ready.head, close, end_head(length))), *ready.pieces, keep=keep)

    def _write_response(self, method: str, response: Response, keep: bool) -> None:
        head = encode_head(response.status, response.headers) + (b"" if keep else _CLOSE)
        has_length = response.status not in _WITHOUT_LENGTH
        head += end_head(len(response.body)) if has_length else b"\r\n"
        self._send_bytes(head, response.body if method != "HEAD" else b"", keep=keep)

    def _send_bytes(self, *pieces: bytes | memoryview, keep: bool) -> None:
        """Write head and body with one call: apart, they would wake nginx twice."""
        if self._transport.is_closing():
            return
        self._transport.writelines(pieces)
        if not keep:
            self._transport.close()

    def _reject_request(self) -> None:
        self._waiting.clear()
        self._write_response("GET", _UNREADABLE, keep=False)


def _frame_chunk(piece: bytes) -> tuple[bytes, bytes, bytes]:
    """Return a piece as a chunk (RFC 9112, section 7.1); an empty one would be the last."""
    return b"%x\r\n" % len(piece), piece, b"\r\n"
