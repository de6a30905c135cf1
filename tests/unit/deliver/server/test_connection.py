"""A connection of nginx's, over a transport that only keeps what was written."""

import asyncio
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.deliver.server.connection_bench import Bench, Transport
from vitrine.deliver.http.exchange import ReadyResponse, Request, Response
from vitrine.deliver.http.plain_request import read_plain_request
from vitrine.deliver.server import connection
from vitrine.deliver.server.connection import MAXIMUM_HEADER_BYTES

DONE = Response(status=200, headers=(("a", "b"),), body=b"done")
READY = ReadyResponse(b"HTTP/1.1 200 OK\r\na: b\r\n", (b"do", memoryview(b"ne")))
ANSWER = b"HTTP/1.1 200 OK\r\na: b\r\ncontent-length: 4\r\n\r\ndone"


def test_the_path_is_the_one_the_client_wrote_and_headers_have_any_case() -> None:
    seen: list[tuple[str, str, str | None, str | None]] = []

    def note(request: Request) -> ReadyResponse:
        get = request.headers.get
        seen.append((request.method, request.path, get("host"), get("absent")))
        return READY

    bench = Bench(respond_now=note)
    bench.send("GET /a/b HTTP/1.1", "X-Request-Uri: /a%2Fb?x", "HOST: h")
    bench.send("HEAD /c HTTP/1.1", "host: h")
    assert seen == [("GET", "/a%2Fb?x", "h", None), ("HEAD", "/c", "h", None)]


@given(cuts=st.lists(st.integers(1, 60), max_size=6))
def test_a_request_may_come_in_any_pieces(cuts: list[int]) -> None:
    bench = Bench(respond_now=lambda _: READY)
    sent = b"GET /some/path HTTP/1.1\r\nHost: h\r\nX-Request-Uri: /some/path\r\n\r\n"
    places = sorted({0, *cuts, len(sent)})
    for start, stop in pairwise(places):
        bench.connection.data_received(sent[start:stop])
    assert bench.transport.written == ANSWER


def test_what_is_answered_at_once_starts_no_task() -> None:
    async def run() -> int:
        before = len(asyncio.all_tasks())
        bench = Bench(respond_now=lambda _: READY)
        bench.send("GET / HTTP/1.1")
        assert bench.transport.written == ANSWER
        return len(asyncio.all_tasks()) - before

    assert asyncio.run(run()) == 0


def test_a_client_that_goes_away_ends_its_work() -> None:
    async def run() -> tuple[list[str], int]:
        ended: list[str] = []

        async def respond(_: Request) -> Response:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                ended.append("cancelled")
                raise
            return DONE

        bench = Bench(respond)
        bench.send("GET / HTTP/1.1")
        await asyncio.sleep(0)
        assert bench.connections.under_way == 1
        bench.transport.closed = True
        bench.connection.connection_lost(None)
        await asyncio.sleep(0.01)
        assert not bench.transport.written
        return ended, bench.connections.under_way

    assert asyncio.run(run()) == (["cancelled"], 0)


def test_answers_keep_the_order_of_the_requests() -> None:
    async def run() -> bytes:
        gate = asyncio.Event()

        async def respond(request: Request) -> Response:
            if request.path == "/slow":
                await gate.wait()
            return Response(status=200, body=request.path.encode())

        bench = Bench(respond)
        for path in ("/slow", "/quick", "/last"):
            bench.send(f"GET {path} HTTP/1.1")
        await asyncio.sleep(0.01)
        assert not bench.transport.written
        gate.set()
        await asyncio.sleep(0.01)
        return bench.transport.written

    written = asyncio.run(run())
    assert [part[-6:].strip() for part in written.split(b"HTTP/1.1")[1:]] == [
        b"/slow",
        b"/quick",
        b"/last",
    ]


@pytest.mark.parametrize(
    ("method", "response", "written"),
    [
        ("HEAD", DONE, b"HTTP/1.1 200 OK\r\na: b\r\ncontent-length: 4\r\n\r\n"),
        ("GET", Response(status=304), b"HTTP/1.1 304 Not Modified\r\n\r\n"),
        ("OPTIONS", Response(status=204), b"HTTP/1.1 204 No Content\r\n\r\n"),
        (
            "GET",
            Response(status=301),
            b"HTTP/1.1 301 Moved Permanently\r\ncontent-length: 0\r\n\r\n",
        ),
    ],
)
def test_lengths_are_stated_as_http_requires(
    method: str, response: Response, written: bytes
) -> None:
    async def run() -> bytes:
        async def respond(_: Request) -> Response:
            return response

        bench = Bench(respond)
        bench.send(f"{method} / HTTP/1.1")
        await asyncio.sleep(0.01)
        return bench.transport.written

    assert asyncio.run(run()) == written


def test_a_connection_ends_when_the_other_side_says_so() -> None:
    bench = Bench(respond_now=lambda _: READY)
    bench.send("GET / HTTP/1.1", "Connection: close")
    assert b"connection: close" in bench.transport.written
    assert bench.transport.closed


@pytest.mark.parametrize(
    "sent",
    [
        b"\0\1\2\3\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\nbroken header\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"GET / HTTP/1.1\r\nX: " + b"x" * (MAXIMUM_HEADER_BYTES + 1) + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\n" * 20,
    ],
)
def test_what_is_no_request_is_refused_and_the_connection_closed(sent: bytes) -> None:
    bench = Bench()
    bench.connection.data_received(sent)
    assert bench.transport.written.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert b'"the request cannot be read"' in bench.transport.written
    assert bench.transport.closed


@given(sent=st.lists(st.binary(max_size=200), max_size=8))
def test_no_bytes_break_it(sent: list[bytes]) -> None:
    bench = Bench(respond_now=lambda _: READY)
    for piece in sent:
        if not bench.transport.closed:
            bench.connection.data_received(piece)


def test_headers_may_be_as_long_as_the_limit() -> None:
    bench = Bench(respond_now=lambda _: READY)
    bench.send("GET / HTTP/1.1", "X: " + "x" * (MAXIMUM_HEADER_BYTES - len("/X")))
    assert bench.transport.written == ANSWER


def test_too_many_requests_at_once_are_refused() -> None:
    async def run() -> Transport:
        async def respond(_: Request) -> Response:
            await asyncio.Event().wait()
            return DONE

        bench = Bench(respond)
        for _ in range(18):
            bench.send("GET / HTTP/1.1")
        bench.connection.connection_lost(None)
        await asyncio.sleep(0)
        return bench.transport

    transport = asyncio.run(run())
    assert transport.closed
    assert transport.written.startswith(b"HTTP/1.1 400")


async def test_connections_are_idle_once_all_was_answered_and_taken() -> None:
    answered = asyncio.Event()

    async def respond(_: Request) -> Response:
        await answered.wait()
        return DONE

    bench = Bench(respond)
    assert bench.connections.is_idle
    bench.send("GET / HTTP/1.1", "Host: x")
    assert not bench.connections.is_idle
    answered.set()
    await asyncio.sleep(0.01)
    assert bench.connections.is_idle
    bench.transport.unsent = 1
    assert not bench.connections.is_idle
    bench.connection.connection_lost(None)
    assert bench.connections.is_idle


def test_the_first_plain_request_of_a_connection_passes_the_parser_by(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[bytes] = []

    def note(data: bytes) -> Request | None:
        read.append(data)
        return read_plain_request(data)

    monkeypatch.setattr(connection, "read_plain_request", note)
    bench = Bench(respond_now=lambda _: READY)
    bench.send("GET /a HTTP/1.1", "host: h")
    assert (len(read), bench.transport.written) == (1, ANSWER)
