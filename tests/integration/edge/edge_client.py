"""Asks the edge as well-behaved clients do, and as others do: byte by byte."""

import json
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any

from tests.patience import SECONDS


@dataclass(frozen=True)
class Answer:
    """Header names in lower case; a header sent twice has both values, with a comma between."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def cache(self) -> str:
        """What the edge says of where it has the answer from."""
        return self.headers.get("x-cache", "")

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    def everything(self) -> str:
        """Headers and body as one text, to look for what must not be there."""
        return f"{self.headers} {self.body!r}"


class EdgeClient:
    """Of one edge on this machine."""

    def __init__(self, port: int) -> None:
        self.port = port

    def ask(self, path: str, method: str = "GET", **headers: str) -> Answer:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request(method, path, headers=named)
            response = connection.getresponse()
            return Answer(response.status, _joined(response.getheaders()), response.read())
        finally:
            connection.close()

    def ask_raw(self, request: bytes) -> list[Answer]:
        """Every answer to these bytes, until the edge hangs up."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=SECONDS) as connection:
            connection.sendall(request)
            with connection.makefile("rb") as stream:
                received = stream.read()
        return _answers(received)


def _joined(fields: Iterable[tuple[str, str]]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for name, value in fields:
        before = headers.get(name.lower())
        headers[name.lower()] = value if before is None else f"{before}, {value}"
    return headers


def _answers(received: bytes) -> list[Answer]:
    answers = []
    while received:
        head, _, received = received.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        fields = (line.partition(":") for line in lines)
        headers = _joined((name, value.strip()) for name, _, value in fields)
        length = int(headers.get("content-length", "0"))
        answers.append(Answer(int(first.split()[1]), headers, received[:length]))
        received = received[length:]
    return answers
