"""Responses are read whole, however they come."""

import pytest

from loadtest.client.response_reader import HttpResponse, ResponseReader

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


def test_a_body_without_length_ends_with_its_connection() -> None:
    reader = ResponseReader()
    assert reader.feed(b"HTTP/1.0 200 OK\r\nContent-Type: image/jpeg\r\n\r\nab") is None
    assert reader.feed(b"c") is None
    response = reader.close()
    assert response
    assert (response.status, response.body) == (200, b"abc")
    assert reader.close() is None


def test_a_connection_that_ends_before_the_length_gives_no_response() -> None:
    reader = ResponseReader()
    assert reader.feed(COUNTED[:-1]) is None
    assert reader.close() is None


@pytest.mark.parametrize("step", [1, 1000])
def test_interim_responses_are_left_out(step: int) -> None:
    early = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
    (response,) = read(early + COUNTED, step)
    assert (response.status, "link" in response.headers) == (200, False)
