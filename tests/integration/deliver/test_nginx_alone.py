"""nginx without a gateway: what becomes of its port."""

import os
import signal
import socket
import subprocess
from pathlib import Path

from tests.integration.deliver.deliver_rig import REPOSITORY, Rig
from tests.patience import SECONDS, until


def is_open(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_master_that_is_killed_alone_frees_the_port_and_spares_neighbours(tmp_path: Path) -> None:
    rig = Rig(tmp_path, tmp_path)
    # The neighbour is in the process group of the container's first process.
    command = "sleep 600 & echo $! >$VITRINE_WORK_DIRECTORY/neighbour; exec containers/nginx/start"
    container = subprocess.Popen(
        ["sh", "-c", command], cwd=REPOSITORY, env=rig.environment(), start_new_session=True
    )
    try:
        until(lambda: is_open(rig.port))
        neighbour = int((tmp_path / "neighbour").read_text())
        master = int((tmp_path / "nginx/nginx.pid").read_text())
        os.kill(master, signal.SIGKILL)
        assert container.wait(SECONDS) == 128 + signal.SIGKILL
        until(lambda: not is_open(rig.port))
        assert os.getpgid(neighbour) == container.pid
        assert is_alive(neighbour)
        assert not rig.memory.exists()
    finally:
        os.killpg(container.pid, signal.SIGKILL)
        container.wait()
