"""A body that comes too slowly ends in an answer, and one that comes at all is received whole."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from tests.unit.photos.photo_bench import PhotoBench, photograph
from vitrine.photos import uploads
from vitrine.photos.wsgi import PhotoDoor


class Connection:
    """A connection to the door, as gunicorn reads it."""

    def __init__(self, door: PhotoDoor) -> None:
        self._door = door
        self.sending, self.receiving = socket.socketpair()
        self.status = ""

    def ask(self, length: int, token: str) -> dict[str, Any]:
        """Answer a request of a number of bytes, and return the JSON."""
        environ = {
            "REQUEST_METHOD": "POST",
            "PATH_INFO": "/photos",
            "QUERY_STRING": "store=no",
            "CONTENT_LENGTH": str(length),
            "HTTP_AUTHORIZATION": f"Bearer {token}",
            "HTTP_ACCEPT": "application/json",
            "gunicorn.socket": self.receiving,
        }
        with self.receiving.makefile("rb") as source:
            body = b"".join(self._door({**environ, "wsgi.input": source}, self._start))
        return dict(json.loads(body))

    def _start(self, status: str, headers: list[tuple[str, str]]) -> None:
        self.status = status


@pytest.fixture
def connection(bench: PhotoBench) -> Iterator[Connection]:
    found = Connection(PhotoDoor(bench.services))
    with found.sending, found.receiving:
        yield found


def test_a_sender_who_stops_in_the_middle_is_answered(
    bench: PhotoBench, connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "IDLE_SECONDS", 0.05)
    connection.sending.sendall(b"\xff\xd8\xff")
    problem = connection.ask(1_000, bench.token())
    assert (connection.status, problem["type"]) == (
        "408 Request Timeout",
        "/problems/photo-too-slow",
    )
    assert problem["advice"]
    assert bench.stored() == []


def test_a_byte_now_and_then_does_not_keep_a_place_for_ever(
    bench: PhotoBench, connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "IDLE_SECONDS", 0.5)
    monkeypatch.setattr(uploads, "SLOWEST_BYTES_PER_SECOND", 10_000)
    ended = threading.Event()

    def trickle() -> None:
        with suppress(OSError):
            while not ended.wait(0.02):
                connection.sending.send(b"x")

    sender = threading.Thread(target=trickle)
    sender.start()
    try:
        problem = connection.ask(1_000, bench.token())
    finally:
        ended.set()
        sender.join()
    assert problem["type"] == "/problems/photo-too-slow"


def test_who_hangs_up_in_the_middle_is_no_fault_of_ours(
    bench: PhotoBench, connection: Connection
) -> None:
    connection.sending.sendall(b"\xff\xd8\xff")
    connection.sending.close()
    assert connection.ask(1_000, bench.token())["type"] == "/problems/photo-body-invalid"


def test_a_photograph_in_pieces_arrives_whole(bench: PhotoBench, connection: Connection) -> None:
    photo = photograph()
    sender = threading.Thread(
        target=lambda: [
            connection.sending.sendall(photo[start : start + 100])
            for start in range(0, len(photo), 100)
        ]
    )
    sender.start()
    answer = connection.ask(len(photo), bench.token())
    sender.join()
    assert connection.status == "200 OK"
    assert answer["bytes"] == len(photo)
