"""Adapters of every port: in memory and of the emulator."""

from collections.abc import Iterator

import pytest

from rigs.free_port import free_port
from tests.contract.backends import Backend
from vitrine.adapters.aws.access import AwsAccess
from vitrine.local import emulator, process
from vitrine.ports import IdentifierTable, MessageQueue, ObjectStore, OutcomeTable, Pipeline

REGION = "us-east-1"


@pytest.fixture(scope="session")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AwsAccess]:
    """An emulator of its own for the session."""
    directory = tmp_path_factory.mktemp("contract")
    port = free_port()
    try:
        emulator.start(directory, port, REGION)
        yield emulator.access(REGION, port)
    finally:
        process.stop_all(directory)


@pytest.fixture(params=["memory", "emulator"])
def backend(request: pytest.FixtureRequest) -> Backend:
    """One kind of adapters."""
    match request.param:
        case "emulator":
            return Backend(request.getfixturevalue("cloud"))
        case _:
            return Backend(None)


@pytest.fixture
def store(backend: Backend) -> ObjectStore:
    """An empty bucket."""
    return backend.store()


@pytest.fixture
def identifiers(backend: Backend) -> IdentifierTable:
    """An empty identifiers table."""
    return backend.identifiers()


@pytest.fixture
def outcomes(backend: Backend) -> OutcomeTable:
    """An empty outcomes table."""
    return backend.outcomes()


@pytest.fixture
def queue(backend: Backend) -> MessageQueue:
    """An empty queue."""
    return backend.queue()


@pytest.fixture
def pipeline(backend: Backend) -> Pipeline:
    """A state machine without executions."""
    return backend.pipeline()
