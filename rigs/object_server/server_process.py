"""The object server as a process of its own, and the hand on its control."""

import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from rigs.object_server.read_ledger import Read, Summary, summarise_reads
from rigs.object_server.response_faults import Fault
from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.object_store import S3ObjectStore

BUCKET = "access-masters"
"""Any name does: the server has one directory."""
_SECONDS = 10
_READ_SECONDS = 5


@dataclass(frozen=True)
class RunningStore:
    """A running object server; `url` has no trailing slash."""

    url: str
    pid: int = 0
    """Id of its process, for its starter."""

    def store(self) -> S3ObjectStore:
        """Return our S3 adapter for this server; it tries a call once, as the gateway does."""
        return self.store_that_waits(_READ_SECONDS)

    def store_that_waits(self, seconds: float) -> S3ObjectStore:
        """Return the same adapter with a read timeout of `seconds`."""
        access = AwsAccess(
            self.url, "us-east-1", dummy_credentials=True, read_seconds=seconds, attempts=1
        )
        return S3ObjectStore(access.client("s3"), BUCKET)

    def fail(self, *faults: Fault) -> None:
        """Replace all faults with these."""
        self._control_faults("PUT", "faults", json.dumps([asdict(fault) for fault in faults]))

    def delay(self, seconds: float) -> None:
        """Time before each answer."""
        self._control_faults("PUT", "latency", str(seconds))

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let it answer nothing meanwhile; what has come is answered afterwards."""
        os.kill(self.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self.pid, signal.SIGCONT)

    def reads(self) -> list[Read]:
        """Return all requests for objects since the last `forget`."""
        return [Read(**item) for item in json.loads(self._control_faults("GET", "reads"))]

    def summary(self) -> Summary:
        """Counts of those requests."""
        return summarise_reads(self.reads())

    def forget(self) -> None:
        """Count from zero."""
        self._control_faults("DELETE", "reads")

    def _control_faults(self, method: str, name: str, body: str = "") -> bytes:
        request = urllib.request.Request(
            f"{self.url}/.control/{name}", data=body.encode() or None, method=method
        )
        with urllib.request.urlopen(request, timeout=_SECONDS) as response:
            answer: bytes = response.read()
        return answer


@contextmanager
def run_store(directory: Path, latency_seconds: float = 0.0) -> Iterator[RunningStore]:
    """Start the server over `directory`, on a free port of 127.0.0.1; stopped at the end."""
    command = [sys.executable, "-m", "rigs.object_server", str(directory)]
    command += ["--latency-seconds", str(latency_seconds)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert process.stdout is not None
    try:
        port = process.stdout.readline().strip()
        if not port:
            raise OSError("the object server did not start")
        yield RunningStore(f"http://127.0.0.1:{port}", process.pid)
    finally:
        process.terminate()
        try:
            process.wait(_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
