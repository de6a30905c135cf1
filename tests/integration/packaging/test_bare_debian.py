"""The README's commands on a Debian that has nothing but what the README asks for."""

import os
import shutil
import subprocess

import pytest

from rigs.free_port import free_ports
from vitrine.bootstrap.local_service import REPOSITORY

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("mmdebstrap"),
    reason="a Debian is made only by root, with mmdebstrap: `make containers` installs it",
)


@pytest.mark.parametrize("release", ["bookworm", "trixie"])
def test_two_commands_start_and_stop_the_service_on_a_bare_debian(release: str) -> None:
    command = [REPOSITORY / "scripts" / "try-on-bare-debian", release]
    ports = [str(port) for port in free_ports(3)]
    done = subprocess.run([*command, *ports], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
