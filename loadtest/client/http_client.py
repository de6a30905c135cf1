"""A client that keeps its connection to any server, by HTTP or HTTPS, and looks at each answer."""

import asyncio
import ssl
import time
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from loadtest.client.timed_load import Connection
from loadtest.workload.answers import fault_of
from loadtest.workload.decode import Sample, decoded_fault
from loadtest.workload.target import Target
from vitrine.errors import InvalidScenario


class Answer(NamedTuple):
    """What became of a request; `fault` is empty when the answer is what was asked for."""

    target: Target
    seconds: float
    status: int
    bytes: int
    headers: Mapping[str, str]
    fault: str
    began: float = 0.0
    """On a monotonic clock, in seconds."""


class Client:
    """One of those that ask at once: a connection, opened again when it was closed."""

    def __init__(self, url: str, sample: Sample) -> None:
        """`url` is scheme and host; `sample` says which answers are decoded. Raises InvalidScenario
        for another scheme than HTTP's."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InvalidScenario(f"{url!r} is no address of a server, such as https://example.org")
        self._host, self._name = parts.hostname, parts.netloc
        self._security = ssl.create_default_context() if parts.scheme == "https" else None
        self._port = parts.port or (443 if self._security else 80)
        self._sample = sample
        self._connection: Connection | None = None

    async def ask(self, target: Target) -> Answer:
        """Send, and read the whole answer. Errors of the network are faults."""
        head = f"GET {target.path} HTTP/1.1\r\nHost: {self._name}\r\nAccept: */*\r\n\r\n"
        start = time.perf_counter()
        try:
            connection = await self._connected()
            response = await connection.ask(head.encode("ascii"))
        except (OSError, TimeoutError, UnicodeError) as error:
            self.close()
            fault = f"{type(error).__name__}: {error}"
            return Answer(target, time.perf_counter() - start, 0, 0, {}, fault, start)
        seconds = time.perf_counter() - start
        if response.headers.get("connection", "").lower() == "close":
            self.close()
        fault = fault_of(target, response.status, response.headers, response.body)
        if not fault and self._sample.takes(target, response.headers):
            # In a thread: others' answers are not kept waiting, and no time counts it.
            loop = asyncio.get_running_loop()
            fault = await loop.run_in_executor(None, decoded_fault, target, response.body)
        size = len(response.body)
        return Answer(target, seconds, response.status, size, response.headers, fault, start)

    async def _connected(self) -> Connection:
        if self._connection is None or not self._connection.open:
            loop = asyncio.get_running_loop()
            _, self._connection = await loop.create_connection(
                Connection, self._host, self._port, ssl=self._security
            )
        return self._connection

    def close(self) -> None:
        """Hang up."""
        if self._connection:
            self._connection.close()
            self._connection = None
