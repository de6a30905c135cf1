"""A connection of nginx's to a gateway that is given as functions, and what was written to it."""

from collections.abc import Awaitable, Callable, Iterable
from types import SimpleNamespace
from typing import Any

from vitrine.deliver.http.exchange import ReadyResponse, Request, Response
from vitrine.deliver.server.connection import Connection, Connections


class Transport:
    """The other side of a connection."""

    def __init__(self) -> None:
        self.written = b""
        self.closed = False
        self.unsent = 0

    def get_write_buffer_size(self) -> int:
        return self.unsent

    def writelines(self, pieces: Iterable[bytes | memoryview]) -> None:
        self.written += b"".join(pieces)

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed


class Bench:
    """A connection to a gateway that is given as two functions."""

    def __init__(
        self,
        respond: Callable[[Request], Awaitable[Response]] | None = None,
        respond_now: Callable[[Request], ReadyResponse | None] = lambda _: None,
    ) -> None:
        async def unasked(_: Request) -> Response:
            raise AssertionError("asked the general way")

        gateway: Any = SimpleNamespace(respond=respond or unasked, respond_now=respond_now)
        self.connections = Connections(gateway)
        self.connection: Connection = self.connections.accept()
        self.transport = Transport()
        self.connection.connection_made(self.transport)  # type: ignore[arg-type]

    def send(self, *lines: str) -> None:
        self.connection.data_received("".join(f"{line}\r\n" for line in (*lines, "")).encode())
