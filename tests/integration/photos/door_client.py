"""Somebody who sends bytes to the task's nginx as no library would."""

import http.client
import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rigs.rig import Rig


@dataclass(frozen=True)
class Answered:
    """An answer of the door."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def problem(self) -> tuple[int, str]:
        """The status and the code of a problem, which has a title and advice."""
        assert self.headers["content-type"] == "application/problem+json"
        document: dict[str, Any] = json.loads(self.body)
        assert document["status"] == self.status
        assert document["title"]
        assert document["advice"]
        return self.status, str(document["type"]).removeprefix("/problems/")


@dataclass(frozen=True)
class DoorClient:
    """A client of the origin; the edge is not in between."""

    rig: Rig
    token: str

    @contextmanager
    def connection(self) -> Iterator[socket.socket]:
        """Open a connection."""
        with socket.create_connection(("127.0.0.1", self.rig.port), timeout=60) as found:
            yield found

    def head(self, *lines: str, query: str = "store=no", token: str | None = None) -> bytes:
        """Return the head of a request, without a token if that is empty."""
        bearer = self.token if token is None else token
        named = [f"POST /photos?{query} HTTP/1.1", "Host: images.example.org", *lines]
        named += [f"Authorization: Bearer {bearer}"] if bearer else []
        return "\r\n".join([*named, "", ""]).encode()

    def send(self, photo: bytes, *lines: str, **options: Any) -> Answered:
        """Send a body of known length, whole."""
        with self.connection() as sending:
            head = self.head(*lines, f"Content-Length: {len(photo)}", **options)
            sending.sendall(head + photo)
            return read_answer(sending)


def read_answer(connection: socket.socket) -> Answered:
    """Read the answer that comes on a connection."""
    with http.client.HTTPResponse(connection, method="POST") as answer:
        answer.begin()
        return Answered(answer.status, answer.headers, answer.read())
