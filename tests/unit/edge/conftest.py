"""A running edge nginx, one per test module."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.patience import SECONDS
from tests.rigs.free_port import free_ports
from tests.unit.edge.edge_bench import Edge, Upstream, wait_for
from tests.unit.edge.edge_vectors import FUNCTIONS
from vitrine.local.edge.edge import command, write_configuration


@contextmanager
def _run_edge(directory: Path, origin: Upstream, emulator: Upstream) -> Iterator[Edge]:
    (port,) = free_ports(1)
    configuration = write_configuration(
        directory,
        port=port,
        origin_port=origin.port,
        emulator_port=emulator.port,
        site_bucket="site-bucket",
        functions=FUNCTIONS,
    )
    path = f"{os.environ['PATH']}:/usr/sbin"  # where Debian keeps nginx
    with subprocess.Popen(command(configuration), env={"PATH": path}) as process:
        try:
            wait_for(process, port)
            yield Edge(port, directory, origin, emulator)
        finally:
            process.terminate()
            process.wait(SECONDS)


@pytest.fixture(scope="module")
def running_edge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Edge]:
    origin, emulator = Upstream(), Upstream()
    origin.serve()
    emulator.serve()
    with _run_edge(tmp_path_factory.mktemp("edge one"), origin, emulator) as edge:
        yield edge
    for upstream in (origin, emulator):
        upstream.stop()


@pytest.fixture
def short_lived(tmp_path: Path) -> Iterator[Edge]:
    """An edge whose origin a test may stop."""
    origin = Upstream()
    origin.serve()
    with _run_edge(tmp_path, origin, Upstream(port=free_ports(1)[0])) as edge:
        yield edge
    origin.stop()


@pytest.fixture
def lonely_edge(tmp_path: Path) -> Iterator[Edge]:
    """An edge whose origin and emulator are not there."""
    gone, lost = (Upstream(port=port) for port in free_ports(2))
    with _run_edge(tmp_path, gone, lost) as edge:
        yield edge


@pytest.fixture
def edge(running_edge: Edge) -> Edge:
    for upstream in (running_edge.origin, running_edge.emulator):
        upstream.status, upstream.headers, upstream.delay_seconds = 200, {}, 0.0
        upstream.padding = 0
        upstream.received.clear()
    return running_edge
