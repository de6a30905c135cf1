"""Many who zoom at once."""

import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.integration.edge.edge_client import EdgeClient
from tests.patience import SECONDS

VISITORS = 1500
_REQUEST = b"GET /iiif/3/plain.tif/0,0,256,256/256,256/0/default.jpg HTTP/1.1\r\nHost: edge\r\n\r\n"


@pytest.fixture
def many_descriptors() -> Iterator[None]:
    """A shell's limit is 1,024 files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.usefixtures("many_descriptors")
def test_fifteen_hundred_visitors_each_keep_their_connection(edge: EdgeClient) -> None:
    address = ("127.0.0.1", edge.port)
    with ExitStack() as closing:
        visitors = [
            closing.enter_context(socket.create_connection(address, timeout=SECONDS))
            for _ in range(VISITORS)
        ]
        for _ in range(2):  # who was answered once, is again
            for visitor in visitors:
                visitor.sendall(_REQUEST)
            assert set(map(_first_line, visitors)) == {b"HTTP/1.1 200 OK"}


def _first_line(connection: socket.socket) -> bytes:
    """The status line of an answer that is read to its end."""
    with connection.makefile("rb") as stream:
        line, length = stream.readline().strip(), 0
        while (header := stream.readline().strip()) != b"":
            name, _, value = header.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        stream.read(length)
    return line
