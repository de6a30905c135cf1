"""A FastCGI client: one request per connection, as suits a process with one thread.

A kept connection would bind a process to one gateway: others, and the check of its health, would
wait for ever. Connecting costs 10 microseconds.

Source: the FastCGI specification 1.0, sections 3 to 5.
"""

import asyncio
import socket
import struct
from dataclasses import dataclass
from pathlib import Path

_HEADER = struct.Struct(">BBHHBx")  # version, type, request, content length, padding length
_VERSION, _REQUEST = 1, 1
_BEGIN, _END, _PARAMETERS, _INPUT, _OUTPUT = 1, 3, 4, 5, 6
_BEGIN_BODY = struct.pack(">HB5x", 1, 0)  # the role of a responder; close the connection after
_SHORT = 128
_MAX_CONTENT = 65_535
_READ_BYTES = 112 << 10
"""More than one record. From 128 KiB on, glibc would map memory for each read."""
_END_OF_HEADERS = b"\r\n\r\n"


class BrokenExchange(Exception):
    """The process died before its answer was complete."""


class WrongAnswer(Exception):
    """The process has finished its answer, which is not what was requested."""


@dataclass(frozen=True, slots=True)
class FastcgiAnswer:
    """The answer of a process; header names in lower case."""

    headers: dict[str, str]
    body: bytes


async def send_request(address: Path, parameters: bytes, seconds: float) -> FastcgiAnswer:
    """Return the answer to a request without a body, if it comes within `seconds`.

    Cancelling it closes the connection. Raises OSError (TimeoutError as well), BrokenExchange,
    WrongAnswer.
    """
    loop = asyncio.get_running_loop()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK) as connection:
        connection.connect(str(address))  # at once, or never
        exchange = _Exchange(connection, loop.create_future())
        loop.add_reader(connection, exchange.read)
        timer = loop.call_later(seconds, exchange.end, TimeoutError())
        try:
            request = _encode_request(parameters)
            if connection.send(request) != len(request):
                raise BrokenExchange("the process does not read its request")
            await exchange.ended
        finally:
            timer.cancel()
            loop.remove_reader(connection)
    return _parse_answer(exchange.parts)


class _Exchange:
    """Collects what the process writes, until the end of the request.

    A transport costs as much for small answers, and copies large ones twice more.
    """

    def __init__(self, connection: socket.socket, ended: asyncio.Future[None]) -> None:
        self.ended = ended
        self._connection = connection
        self.parts: list[memoryview] = []
        """The output so far."""
        self._head = b""
        """The beginning of a record's header."""
        self._content, self._padding, self._is_output = 0, 0, False
        """Bytes of the current record that are still to come."""

    def read(self) -> None:
        """Take what has arrived."""
        try:
            data = self._connection.recv(_READ_BYTES)
        except BlockingIOError:
            return
        except OSError as error:
            self.end(error)
            return
        if not data:
            self.end(BrokenExchange("the process closed the connection"))
        elif self._take_records(data):
            self.end(None)

    def end(self, error: Exception | None) -> None:
        """End the exchange, with an error or with what was taken."""
        if self.ended.done():
            return
        if error:
            self.ended.set_exception(error)
        else:
            self.ended.set_result(None)

    def _take_records(self, data: bytes) -> bool:
        """Keep the content of output records; return True at the end of the request."""
        view, position = memoryview(data), 0
        while position < len(data):
            if self._content:
                part = view[position : position + self._content]
                if self._is_output:
                    self.parts.append(part)
                position += len(part)
                self._content -= len(part)
            elif self._padding:
                skipped = min(self._padding, len(data) - position)
                position += skipped
                self._padding -= skipped
            else:
                missing = _HEADER.size - len(self._head)
                self._head += data[position : position + missing]
                position += missing
                if len(self._head) < _HEADER.size:
                    break
                _, kind, _, self._content, self._padding = _HEADER.unpack(self._head)
                self._head = b""
                if kind == _END:
                    return True
                self._is_output = kind == _OUTPUT
        return False


def encode_parameters(parameters: dict[str, str]) -> bytes:
    """Return names and values as a request has them, one after the other."""
    return b"".join(
        _pack_length(name) + _pack_length(value) + name.encode() + value.encode()
        for name, value in parameters.items()
    )


def _pack_record(kind: int, content: bytes) -> bytes:
    return _HEADER.pack(_VERSION, kind, _REQUEST, len(content), 0) + content


_BEFORE_PARAMETERS = _pack_record(_BEGIN, _BEGIN_BODY)
_AFTER_PARAMETERS = _pack_record(_PARAMETERS, b"") + _pack_record(_INPUT, b"")


def _encode_request(parameters: bytes) -> bytes:
    if len(parameters) > _MAX_CONTENT:
        raise ValueError("the parameters are longer than one record")
    return b"".join((_BEFORE_PARAMETERS, _pack_record(_PARAMETERS, parameters), _AFTER_PARAMETERS))


def _pack_length(text: str) -> bytes:
    length = len(text.encode())
    return bytes([length]) if length < _SHORT else struct.pack(">I", length | 1 << 31)


def _parse_answer(parts: list[memoryview]) -> FastcgiAnswer:
    """Copy the body, which may have megabytes, once. Raises WrongAnswer."""
    first = 1
    while _END_OF_HEADERS not in (start := b"".join(parts[:first])):
        if first >= len(parts):
            raise WrongAnswer(f"no headers in {start[:80]!r}")
        first += 1
    head, _, rest = start.partition(_END_OF_HEADERS)
    lines = (line.partition(":") for line in head.decode("latin-1").split("\r\n"))
    headers = {name.strip().lower(): value.strip() for name, _, value in lines}
    return FastcgiAnswer(headers, b"".join((rest, *parts[first:])))
