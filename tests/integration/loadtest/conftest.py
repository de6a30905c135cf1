"""Servers to ask, which stop when the test ends."""

from collections.abc import Iterable, Iterator

import pytest

from loadtest.workload.catalogue import Image
from tests.integration.loadtest.answering_server import AnsweringServer, StartServer


@pytest.fixture
def start_server() -> Iterator[StartServer]:
    servers: list[AnsweringServer] = []

    def start(images: Iterable[Image]) -> AnsweringServer:
        servers.append(AnsweringServer({image.identifier: image for image in images}))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()
