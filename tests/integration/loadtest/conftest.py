"""Servers to ask, which stop when the test ends."""

from collections.abc import Iterable, Iterator

import pytest
from answering_server import AnsweringServer, StartServer

from loadtest.workload.catalogue import Image


@pytest.fixture
def start_server() -> Iterator[StartServer]:
    servers: list[AnsweringServer] = []

    def start(images: Iterable[Image]) -> AnsweringServer:
        servers.append(AnsweringServer({image.identifier: image for image in images}))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()
