"""Answers that go on in pieces, each made when nginx has taken the one before it."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable

import pytest

from tests.unit.deliver.server.connection_bench import Bench, Transport
from vitrine.deliver.http.exchange import Request, Response
from vitrine.deliver.server import connection


class TakingTransport(Transport):
    """One that can be cut off, and that may be full after each write."""

    def __init__(self) -> None:
        super().__init__()
        self.aborted = False
        self.fill: Callable[[], None] = lambda: None

    def writelines(self, pieces: Iterable[bytes | memoryview]) -> None:
        super().writelines(pieces)
        self.fill()

    def abort(self) -> None:
        self.aborted = self.closed = True


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def streaming(pieces: Callable[[], AsyncGenerator[bytes]]) -> Bench:
    """A connection whose answers go on with these pieces."""

    async def respond(_: Request) -> Response:
        return Response(status=200, headers=(("a", "b"),), body=b"first", rest=pieces())

    bench = Bench(respond)
    bench.transport = TakingTransport()
    bench.connection.connection_made(bench.transport)  # type: ignore[arg-type]
    return bench


def test_each_piece_of_a_stream_is_made_when_the_one_before_it_was_taken() -> None:
    made: list[int] = []

    async def pieces() -> AsyncGenerator[bytes]:
        for number in range(3):
            made.append(number)
            yield b"piece"

    async def run() -> bytes:
        bench = streaming(pieces)
        assert isinstance(bench.transport, TakingTransport)
        bench.transport.fill = bench.connection.pause_writing
        bench.send("GET / HTTP/1.1")
        await settle()
        assert made == []
        for number in range(3):
            bench.connection.resume_writing()
            await settle()
            assert made == list(range(number + 1))
        bench.connection.resume_writing()
        await settle()
        assert bench.connections.under_way == 0
        return bench.transport.written

    assert asyncio.run(run()) == (
        b"HTTP/1.1 200 OK\r\na: b\r\ntransfer-encoding: chunked\r\n\r\n5\r\nfirst\r\n"
        + b"5\r\npiece\r\n" * 3
        + b"0\r\n\r\n"
    )


def test_a_stream_that_fails_is_cut_off_without_its_end() -> None:
    async def pieces() -> AsyncGenerator[bytes]:
        yield b"good"
        raise OSError("the store is gone")

    async def run() -> TakingTransport:
        bench = streaming(pieces)
        bench.send("GET / HTTP/1.1")
        await settle()
        assert bench.connections.under_way == 0
        assert isinstance(bench.transport, TakingTransport)
        return bench.transport

    transport = asyncio.run(run())
    assert transport.aborted
    assert transport.written.endswith(b"4\r\ngood\r\n")


def test_a_stream_ends_at_once_when_its_client_goes_away_or_is_too_slow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended: list[bool] = []

    async def pieces() -> AsyncGenerator[bytes]:
        try:
            while True:
                await asyncio.sleep(0)
                yield b"more"
        finally:
            ended.append(True)

    async def run() -> None:
        gone = streaming(pieces)
        gone.send("GET / HTTP/1.1")
        await asyncio.sleep(0.01)
        gone.connection.pause_writing()
        await settle()
        gone.connection.connection_lost(None)
        await settle()
        monkeypatch.setattr(connection, "MAX_STREAM_SECONDS", 0.01)
        slow = streaming(pieces)
        slow.send("GET / HTTP/1.1")
        await asyncio.sleep(0.05)
        assert isinstance(slow.transport, TakingTransport)
        assert slow.transport.aborted

    asyncio.run(run())
    assert ended == [True, True]
