"""A rig to test the image task in: its three containers' start scripts, as processes."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp

from rigs.free_port import free_port
from tests.patience import SECONDS
from vitrine.deliver.server.processes import gateway_socket

REPOSITORY = Path(__file__).resolve().parents[3]
GATEWAY = Path(__file__).with_name("deliver_gateway_process.py")


@dataclass
class Rig:
    """`work` is the volume, `store` a directory of access masters and `records.json`."""

    work: Path
    store: Path
    variables: dict[str, str] = field(default_factory=dict)
    port: int = field(default_factory=free_port)
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def memory(self) -> Path:
        """Where nginx keeps finished answers: for tests, next to the rest."""
        return self.work / "memory"

    @property
    def downloads(self) -> list[str]:
        log = self.store / "downloads.log"
        return log.read_text().split() if log.exists() else []

    def environment(self) -> dict[str, str]:
        python = str(Path(sys.executable).parent)
        return {
            "PATH": f"{python}:/usr/sbin:/usr/bin:/sbin:/bin",
            "PYTHONPATH": str(REPOSITORY),
            "VITRINE_ACCESS_MASTERS_BUCKET": "unused",
            "VITRINE_SITE_BUCKET": "unused",
            "VITRINE_IDENTIFIERS_TABLE": "unused",
            "VITRINE_WORK_DIRECTORY": str(self.work),
            "VITRINE_MEMORY_DIRECTORY": str(self.memory),
            "VITRINE_ORIGIN_PORT": str(self.port),
            "VITRINE_ORIGIN_ADDRESS": "127.0.0.1",
            "VITRINE_SHUTDOWN_SECONDS": "10",
            "VITRINE_DRAIN_SECONDS": "0",
            "TEST_STORE": str(self.store),
            **self.variables,
        }

    def start(self, *names: str) -> None:
        commands = {
            "nginx": ["containers/nginx/start"],
            "iipsrv": ["containers/iipsrv/start"],
            "gateway": [sys.executable, str(GATEWAY)],
        }
        for name in names:
            log = (self.work / f"{name}.log").open("ab")
            self.processes[name] = subprocess.Popen(
                commands[name],
                cwd=REPOSITORY,
                env=self.environment(),
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            log.close()

    def stop(self, name: str) -> int:
        process = self.processes.pop(name)
        process.send_signal(signal.SIGTERM)
        try:
            return process.wait(SECONDS)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def require_alive(self) -> None:
        """Fail with the logs if a process has ended."""
        ended = {name: one.poll() for name, one in self.processes.items()}
        assert not any(code is not None for code in ended.values()), f"{ended}\n{self.logs()}"

    def logs(self) -> str:
        return "\n".join(f"{name}: {self.log(name)[-2000:]}" for name in self.processes)

    def log(self, name: str) -> str:
        return (self.work / f"{name}.log").read_text()

    def children(self, name: str) -> list[int]:
        parent = self.processes[name].pid
        return [
            int(pid) for pid in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        ]


def all_processes_listen(rig: Rig) -> bool:
    """Whether nginx reaches each gateway process: until then another one answers in its place."""
    for number in range(1, int(rig.variables.get("VITRINE_GATEWAY_PROCESSES", "2")) + 1):
        with socket.socket(socket.AF_UNIX) as client:
            try:
                client.connect(str(gateway_socket(rig.work, number)))
            except OSError:
                return False
    return True


async def wait_until_ready(rig: Rig) -> None:
    deadline = time.monotonic() + SECONDS
    last: object = None
    async with aiohttp.ClientSession() as client:
        while time.monotonic() < deadline:
            rig.require_alive()
            try:
                async with client.get(f"{rig.url}/readyz") as response:
                    last = await response.text()
                    if response.status == 200 and all_processes_listen(rig):
                        return
            except aiohttp.ClientError as error:
                last = error
            time.sleep(0.05)
    raise AssertionError(f"not ready: {last!r}\n{rig.logs()}")


StartRig = Callable[..., Rig]
