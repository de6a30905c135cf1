"""A whole service on this machine, to migrate into."""

from collections.abc import Iterator

import pytest

from rigs.free_port import free_ports
from tests.integration.local.machines import Machine, draw


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    made = Machine(tmp_path_factory.mktemp("machine"), free_ports(3))
    first = tmp_path_factory.mktemp("first")
    draw(first / "first.tif", 99)
    try:
        done = made.up("--masters", first)
        assert done.returncode == 0, done.stdout + done.stderr
        yield made
    finally:
        made.run("down")
