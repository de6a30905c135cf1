"""Mixed requests over kept connections, each answer looked at and timed."""

import asyncio
import math
import os
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import uvloop

from loadtest.client.quick_checks import fault_of
from loadtest.client.response_reader import HttpResponse, ResponseReader
from loadtest.client.wrk_peak import rates
from loadtest.rigs.rig import Rig
from loadtest.studies.delivery.delivery_requests import Ask

TIMEOUT_SECONDS = 120.0
_EXAMPLES = 5


@dataclass(frozen=True)
class Answer:
    """What became of one request. `fault` is empty when the answer is what was asked for."""

    ask: Ask
    seconds: float
    status: int
    bytes: int
    fault: str
    retry_after: str = ""


Look = Callable[[Ask, HttpResponse], str]
"""What is wrong with a response, "" if nothing."""


class Connection(asyncio.Protocol):
    """One kept connection that carries one request at a time."""

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
            self._fail(ConnectionError(f"not HTTP: {error!r}"))
            return
        if response and self._waiting and not self._waiting.done():
            self._waiting.set_result(response)

    def connection_lost(self, error: Exception | None) -> None:
        self._transport = None
        response = None if error else self._reader.close()
        if response and self._waiting and not self._waiting.done():
            self._waiting.set_result(response)
        self._fail(ConnectionError(f"the connection was closed: {error!r}"))

    def _fail(self, error: Exception) -> None:
        if self._waiting and not self._waiting.done():
            self._waiting.set_exception(error)

    @property
    def open(self) -> bool:
        return self._transport is not None and not self._transport.is_closing()

    async def ask(self, request: bytes) -> HttpResponse:
        """Raises ConnectionError, TimeoutError."""
        if not self._transport:
            raise ConnectionError("the connection was closed")
        self._waiting = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        async with asyncio.timeout(TIMEOUT_SECONDS):
            return await self._waiting

    def close(self) -> None:
        if self._transport:
            self._transport.close()


class Client:
    """One of several that ask at once: its own connection, opened again when it was closed."""

    def __init__(self, port: int, look: Look = fault_of) -> None:
        self._port = port
        self._look = look
        self._connection: Connection | None = None

    async def ask(self, ask: Ask) -> Answer:
        """Send and wait for the whole answer."""
        head = f"GET {ask.path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n\r\n"
        start = time.perf_counter()
        try:
            connection = await self._connected()
            response = await connection.ask(head.encode())
        except (OSError, TimeoutError) as error:
            self.close()
            return Answer(ask, time.perf_counter() - start, 0, 0, f"{error!r}")
        seconds = time.perf_counter() - start
        if response.headers.get("connection", "").lower() == "close":
            self.close()
        fault = self._look(ask, response)
        retry_after = response.headers.get("retry-after", "")
        return Answer(ask, seconds, response.status, len(response.body), fault, retry_after)

    async def _connected(self) -> Connection:
        if self._connection is None or not self._connection.open:
            loop = asyncio.get_running_loop()
            _, self._connection = await loop.create_connection(Connection, "127.0.0.1", self._port)
        return self._connection

    def close(self) -> None:
        """Hang up."""
        if self._connection:
            self._connection.close()
            self._connection = None


def ask_mixed(
    rig: Rig, asks: Sequence[Ask], connections: int, look: Look = fault_of
) -> dict[str, Any]:
    """Ask all of `asks`, in order, over `connections`: figures, latencies per class, failures."""
    before, own, wall = rig.cpu_seconds(), os.times(), time.monotonic()
    answers = uvloop.run(_ask_all(rig.port, iter(asks), connections, look))
    wall = time.monotonic() - wall
    after, ended = rig.cpu_seconds(), os.times()
    rig.check()
    generator = (ended.user + ended.system - own.user - own.system) / wall
    return summary(answers) | rates(
        requests=len(answers),
        seconds=wall,
        server={name: after[name] - before[name] for name in before},
        generator=generator,
        threads=1,
    )


async def _ask_all(port: int, asks: Iterator[Ask], connections: int, look: Look) -> list[Answer]:
    answers: list[Answer] = []

    async def work() -> None:
        client = Client(port, look)
        for ask in asks:
            answers.append(await client.ask(ask))
        client.close()

    await asyncio.gather(*(work() for _ in range(connections)))
    return answers


def summary(answers: Sequence[Answer]) -> dict[str, Any]:
    """Counts, failures with a few examples, and latencies of each class in milliseconds."""
    failed = [answer for answer in answers if answer.fault]
    kinds = dict.fromkeys(answer.ask.kind for answer in answers)
    return {
        "requests": len(answers),
        "bytes": sum(answer.bytes for answer in answers),
        "failures": len(failed),
        "failed": [f"{answer.ask.path}: {answer.fault}" for answer in failed[:_EXAMPLES]],
        "classes": {
            kind: latencies(answer.seconds for answer in answers if answer.ask.kind == kind)
            for kind in kinds
        },
    }


def latencies(seconds: Iterable[float]) -> dict[str, float]:
    """Count, median, 99th percentile (nearest rank) and maximum, in milliseconds."""
    values = sorted(seconds)
    return {
        "requests": len(values),
        "p50_ms": round(1000 * statistics.median(values), 3),
        "p99_ms": round(1000 * values[math.ceil(0.99 * len(values)) - 1], 3),
        "max_ms": round(1000 * values[-1], 3),
    }
