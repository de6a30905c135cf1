"""The HTTP client of all studies: a kept connection to any server, every answer checked.

Locust's users have one of their own (`loadtest.locust.http_connection`), since they are greenlets;
both check answers and word network faults by `loadtest.workload.answers`.
"""

import asyncio
import ssl
import time
from collections.abc import Callable, Iterator
from itertools import repeat
from typing import cast
from urllib.parse import urlsplit

from loadtest.client.response_reader import HttpResponse, ResponseReader
from loadtest.errors import InvalidScenario
from loadtest.workload.answers import Answer, describe_network_fault, find_fault
from loadtest.workload.decode import AnswerSampler, find_pixel_fault
from loadtest.workload.target import Target

TIMEOUT_SECONDS = 120.0

Check = Callable[[Target, HttpResponse], str]
"""Says what is wrong with a response; "" if nothing is."""


def check_quickly(target: Target, response: HttpResponse) -> str:
    """Return what is wrong with a response; cheap enough for every one of a load."""
    return find_fault(target, response.status, response.headers, response.body)


def check_thoroughly(target: Target, response: HttpResponse) -> str:
    """Return what is wrong with a response, every pixel of a picture decoded."""
    fault = check_quickly(target, response)
    if fault or not response.headers.get("content-type", "").startswith("image/"):
        return fault
    return find_pixel_fault(target, response.body)


class ClientConnection(asyncio.Protocol):
    """A kept connection that carries one request at a time."""

    def __init__(self) -> None:
        self._reader = ResponseReader()
        self._waiting: asyncio.Future[HttpResponse] | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's own is no subclass

    def data_received(self, data: bytes) -> None:
        try:
            response = self._reader.feed(data)
        except (ValueError, KeyError, IndexError) as error:
            self._fail_waiting(ConnectionError(f"not HTTP: {error!r}"))
            return
        if response and self._waiting and not self._waiting.done():
            self._waiting.set_result(response)

    def connection_lost(self, error: Exception | None) -> None:
        self._transport = None
        response = None if error else self._reader.close()
        if response and self._waiting and not self._waiting.done():
            self._waiting.set_result(response)
        self._fail_waiting(ConnectionError(f"the connection was closed: {error!r}"))

    def _fail_waiting(self, error: Exception) -> None:
        if self._waiting and not self._waiting.done():
            self._waiting.set_exception(error)

    @property
    def open(self) -> bool:
        """True while requests can be sent."""
        return self._transport is not None and not self._transport.is_closing()

    async def send(self, request: bytes) -> HttpResponse:
        """Send a request and wait for its response. Raises ConnectionError, TimeoutError."""
        if not self._transport:
            raise ConnectionError("the connection was closed")
        self._waiting = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        async with asyncio.timeout(TIMEOUT_SECONDS):
            return await self._waiting

    def close(self) -> None:
        """Hang up."""
        if self._transport:
            self._transport.close()


class HttpClient:
    """One of several clients that send requests at once: a connection, reopened when closed."""

    def __init__(
        self,
        url: str,
        *,
        check: Check = check_quickly,
        sample: AnswerSampler | None = None,
        hosts: Iterator[str] | None = None,
    ) -> None:
        """Prepare a client of the server at `url`, scheme and host.

        `sample` chooses answers that are also decoded; None: no answer is. `hosts` are the Hosts
        that requests name; None: always that of `url`. Raises InvalidScenario for any scheme but
        HTTP's.
        """
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InvalidScenario(
                f"{url!r} is not the address of a server, such as https://example.org"
            )
        self._host = parts.hostname
        self._hosts = hosts or repeat(parts.netloc)
        self._security = ssl.create_default_context() if parts.scheme == "https" else None
        self._port = parts.port or (443 if self._security else 80)
        self._check = check
        self._sample = sample
        self._connection: ClientConnection | None = None

    async def request(self, target: Target, fields: str = "") -> Answer:
        """Send a request and read the whole answer. Network errors are faults of the answer.

        `fields` are more lines of the head, each with its CRLF.
        """
        host = next(self._hosts)
        head = f"GET {target.path} HTTP/1.1\r\nHost: {host}\r\nAccept: */*\r\n{fields}\r\n"
        start = time.perf_counter()
        try:
            connection = await self._open_connection()
            response = await connection.send(head.encode("ascii"))
        except (OSError, TimeoutError, UnicodeError) as error:
            self.close()
            fault = describe_network_fault(error)
            return Answer(target, time.perf_counter() - start, 0, 0, {}, fault, start)
        seconds = time.perf_counter() - start
        if response.headers.get("connection", "").lower() == "close":
            self.close()
        fault = self._check(target, response)
        if not fault and self._sample and self._sample.takes(target, response.headers):
            # In a thread: other clients are not kept waiting, and the time is not counted.
            loop = asyncio.get_running_loop()
            fault = await loop.run_in_executor(None, find_pixel_fault, target, response.body)
        size = len(response.body)
        return Answer(target, seconds, response.status, size, response.headers, fault, start)

    async def _open_connection(self) -> ClientConnection:
        if self._connection is None or not self._connection.open:
            loop = asyncio.get_running_loop()
            _, self._connection = await loop.create_connection(
                ClientConnection, self._host, self._port, ssl=self._security
            )
        return self._connection

    def close(self) -> None:
        """Hang up."""
        if self._connection:
            self._connection.close()
            self._connection = None
