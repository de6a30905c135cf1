"""Responses are read whole, however they come."""

import pytest

from vitrine.measure.deliver.response import HttpResponse, ResponseReader

COUNTED = b"HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: 5\r\n\r\n\r\n0\r\n"
CHUNKED = (
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"5\r\n\r\n0\r\n\r\n7;a=b\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n"
)
EMPTY = b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"


def read(data: bytes, step: int) -> list[HttpResponse]:
    reader = ResponseReader()
    parts = (data[start : start + step] for start in range(0, len(data), step))
    return [response for part in parts if (response := reader.feed(part))]


@pytest.mark.parametrize("step", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize(
    ("data", "body"), [(COUNTED, b"\r\n0\r\n"), (CHUNKED, b"\r\n0\r\n" + b"\r\n0\r\n\r\n")]
)
def test_bodies_that_look_like_their_own_end_are_read_whole(
    data: bytes, body: bytes, step: int
) -> None:
    (response,) = read(data, step)
    assert (response.status, response.body) == (200, body)


def test_one_connection_carries_several() -> None:
    found = read(COUNTED + CHUNKED + EMPTY, 1)
    assert [response.status for response in found] == [200, 200, 204]
    assert found[2].headers["connection"] == "close"


def test_what_is_not_http_is_an_error() -> None:
    with pytest.raises((ValueError, IndexError)):
        ResponseReader().feed(b"nonsense\r\n\r\n")
