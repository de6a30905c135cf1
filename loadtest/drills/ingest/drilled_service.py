"""The service under drill: its own folder and ports, a faulty proxy before its emulator."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rigs.free_port import free_ports
from vitrine.bootstrap.local_service import DIRECTORY_VARIABLE
from vitrine.local import emulator, process
from vitrine.local.progress import Progress
from vitrine.local.up import REGION, Ports, down, up

_SECONDS = 10.0


class DrilledService:
    """A one-machine service that is killed and started again.

    `access` is free of faults, `faulty_access` what the service and its curators have.
    """

    def __init__(self, directory: Path, ports: Ports, proxy_url: str, progress: Progress) -> None:
        self.directory = directory
        self.access = emulator.access(REGION, ports.emulator)
        self.faulty_access = emulator.access(REGION, ports.cloud)
        self.origin_url = f"http://127.0.0.1:{ports.origin}"
        self._ports = ports
        self._proxy_url = proxy_url
        self._progress = progress

    def up(self) -> float:
        """`vitrine up`; the seconds it took."""
        begun = time.monotonic()
        up(self.directory, self._ports, self._progress)
        return time.monotonic() - begun

    def save(self) -> None:
        """Have the emulator keep what was deployed, as `up` does."""
        emulator.save(self.directory)

    @property
    def emulator_pid(self) -> int:
        """0 while it is dead."""
        items = (item for item in process.read_notes(self.directory) if item.name == emulator.NAME)
        return next((item.pid for item in items if item.alive), 0)

    def kill_emulator(self) -> None:
        """SIGKILL for what plays AWS, in the middle of whatever it does."""
        os.kill(self.emulator_pid, signal.SIGKILL)

    def kill_everything(self) -> int:
        """SIGKILL for every process, Lambdas included; how many were noted."""
        items = [item for item in process.read_notes(self.directory) if item.alive]
        for item in items:
            os.killpg(item.pid, signal.SIGKILL)
        return len(items)

    def set_fault_percent(self, percent: float) -> None:
        """Let a share of the calls of S3 and DynamoDB go wrong from now on."""
        self._control_faults("PUT", "percent", str(percent))

    def begin_outage(self, service: str, seconds: float) -> None:
        """Fail every call of `service` for `seconds` from now on."""
        self._control_faults("PUT", f"outage/{service}", str(seconds))

    def fault_counts(self) -> dict[str, Any]:
        """Calls by service, faults by service and kind."""
        counts: dict[str, Any] = json.loads(self._control_faults("GET", "counts"))
        return counts

    def _control_faults(self, method: str, name: str, body: str = "") -> bytes:
        url = f"{self._proxy_url}/.drill/{name}"
        request = urllib.request.Request(url, data=body.encode() or None, method=method)
        with urllib.request.urlopen(request, timeout=_SECONDS) as response:
            answer: bytes = response.read()
        return answer


@contextmanager
def drilled_service(
    directory: Path, seed: int, progress: Progress, *, keep: bool = False
) -> Iterator[DrilledService]:
    """Proxy and service on free ports, in `directory`, which is emptied first.

    Afterwards both are stopped, and the folder is removed unless it is to be kept. Raises what
    `vitrine.local.up.up` does.
    """
    directory = directory.resolve()
    shutil.rmtree(directory, ignore_errors=True)
    edge, origin, behind, before = free_ports(4)
    ports = Ports(edge=edge, origin=origin, emulator=behind, proxy=before)
    with _own_directory(directory), _running_proxy(before, emulator.url(behind), seed) as url:
        try:
            service = DrilledService(directory, ports, url, progress)
            service.up()
            yield service
        finally:
            down(directory, progress)
            if not keep:
                shutil.rmtree(directory, ignore_errors=True)


@contextmanager
def _own_directory(directory: Path) -> Iterator[None]:
    before = os.environ.get(DIRECTORY_VARIABLE)
    os.environ[DIRECTORY_VARIABLE] = str(directory)
    try:
        yield
    finally:
        if before is None:
            del os.environ[DIRECTORY_VARIABLE]
        else:
            os.environ[DIRECTORY_VARIABLE] = before


@contextmanager
def _running_proxy(port: int, upstream: str, seed: int) -> Iterator[str]:
    command = [sys.executable, "-m", f"{__package__}.fault_proxy", str(port), upstream]
    child = subprocess.Popen(
        [*command, "--seed", str(seed)], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert child.stdout is not None
    try:
        if not child.stdout.readline().strip():
            raise OSError("the proxy did not start")
        yield emulator.url(port)
    finally:
        child.terminate()
        try:
            child.wait(_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        child.stdout.close()
