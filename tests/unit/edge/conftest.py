"""A running edge nginx, one per test module."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from rigs.free_port import free_port, free_ports
from stacks.constructs.edge_function_code import function_code
from tests.unit.edge.edge_bench import Edge, Upstream, run_edge
from tests.unit.edge.edge_vectors import FUNCTIONS
from vitrine.edge import functions


def _write_deployed_functions(folder: Path) -> Path:
    """Write what CloudFront gets, each text as the last of its function's files."""
    for path in FUNCTIONS.iterdir():
        (folder / path.name).touch()
    for name, files in vars(functions).items():
        if name.isupper():
            (folder / files[-1]).write_text(function_code(files))
    return folder


@pytest.fixture(scope="module", params=["readable", "deployed"])
def running_edge(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Edge]:
    """An edge that runs the functions as they are written, and one that runs what is deployed."""
    origin, emulator = Upstream(), Upstream()
    origin.serve()
    emulator.serve()
    texts = FUNCTIONS
    if request.param == "deployed":
        texts = _write_deployed_functions(tmp_path_factory.mktemp("functions"))
    with run_edge(tmp_path_factory.mktemp("edge one"), origin, emulator, functions=texts) as edge:
        yield edge
    for upstream in (origin, emulator):
        upstream.stop()


@pytest.fixture
def short_lived(tmp_path: Path) -> Iterator[Edge]:
    """An edge whose origin a test may stop."""
    origin = Upstream()
    origin.serve()
    with run_edge(tmp_path, origin, Upstream(port=free_port())) as edge:
        yield edge
    origin.stop()


@pytest.fixture
def lonely_edge(tmp_path: Path) -> Iterator[Edge]:
    """An edge whose origin and emulator are not there."""
    gone, lost = (Upstream(port=port) for port in free_ports(2))
    with run_edge(tmp_path, gone, lost) as edge:
        yield edge


@pytest.fixture
def edge(running_edge: Edge) -> Edge:
    for upstream in (running_edge.origin, running_edge.emulator):
        upstream.status, upstream.headers, upstream.delay_seconds = 200, {}, 0.0
        upstream.padding = 0
        upstream.received.clear()
    return running_edge
