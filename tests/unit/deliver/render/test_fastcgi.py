"""The FastCGI client takes an answer as it comes: in any pieces, and to its end."""

import asyncio
import struct
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitrine.deliver.render.fastcgi import (
    BrokenExchange,
    FastcgiAnswer,
    WrongAnswer,
    encode_parameters,
    send_request,
)

_ERRORS, _OUTPUT, _END = 7, 6, 3
HEADERS = b"Content-Type: image/jpeg\r\nX-Powered-By: a test\r\n\r\n"
END = struct.pack(">BBHHBx8x", 1, _END, 1, 8, 0)


def record(kind: int, content: bytes) -> bytes:
    padding = -len(content) % 8
    return struct.pack(">BBHHBx", 1, kind, 1, len(content), padding) + content + bytes(padding)


@asynccontextmanager
async def process(pieces: list[bytes], *, closes: bool) -> AsyncIterator[Path]:
    """Serve an answer in these pieces; keep the connection until the client closes it, or not."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(24)
        with suppress(ConnectionError):  # the client need not wait for the end's last bytes
            for piece in pieces:
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(0)
            if not closes:
                await reader.read()  # until the client closes the connection
            writer.close()
            await writer.wait_closed()
        ended.set()

    ended = asyncio.Event()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "process.sock"
        server = await asyncio.start_unix_server(answer, str(place))
        async with server:
            yield place
            await ended.wait()


async def receive(pieces: list[bytes], *, closes: bool = False) -> FastcgiAnswer:
    async with process(pieces, closes=closes) as place, asyncio.timeout(10):
        return await send_request(place, encode_parameters({"QUERY_STRING": "IIIF=a"}), 10)


@pytest.mark.slow
@given(
    parts=st.lists(st.binary(max_size=300), max_size=5),
    cuts=st.lists(st.integers(0, 2000), max_size=6),
)
def test_an_answer_is_the_same_in_whatever_pieces_it_comes(
    parts: list[bytes], cuts: list[int]
) -> None:
    sent = [record(_OUTPUT, HEADERS), *(record(_OUTPUT, part) for part in parts)]
    data = b"".join((*sent, record(_ERRORS, b"a warning"), record(_OUTPUT, b""), END))
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    pieces = [data[start:stop] for start, stop in pairwise(edges)]
    answer = asyncio.run(receive([piece for piece in pieces if piece]))
    assert answer.body == b"".join(parts)
    assert answer.headers == {"content-type": "image/jpeg", "x-powered-by": "a test"}


async def test_an_answer_ends_with_its_last_record_not_with_the_connection() -> None:
    answer = await receive([record(_OUTPUT, HEADERS + b"picture") + END], closes=False)
    assert answer.body == b"picture"


@pytest.mark.parametrize("data", [b"", record(_OUTPUT, HEADERS + b"pict"), END[:7]])
async def test_an_answer_that_is_cut_off_is_rejected(data: bytes) -> None:
    with pytest.raises(BrokenExchange):
        await receive([data], closes=True)


@pytest.mark.parametrize("data", [END, record(_OUTPUT, b"no headers") + END])
async def test_an_answer_without_headers_is_a_wrong_one(data: bytes) -> None:
    with pytest.raises(WrongAnswer):
        await receive([data], closes=True)
