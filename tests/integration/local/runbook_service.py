"""The service that is broken as the run books say, and what shows that it is whole again."""

import json
import os
import signal
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.integration.local.machines import SIDE, Machine, draw
from tests.integration.local.runbook_reader import Operator
from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.stack_outputs import stack_outputs
from vitrine.deliver.metrics.program_cpu import process_tree
from vitrine.deliver.metrics.prometheus import parse_samples
from vitrine.local.process import read_notes

SECONDS = 300.0
IMAGES = ("first", "second")
TILE = "0,0,512,512/512,512/0/default.jpg"


class Answer(NamedTuple):
    """What the service says to a viewer."""

    status: int
    body: bytes
    retry_after: str | None

    @property
    def reason(self) -> str:
        return str(json.loads(self.body)["reason"])


class Here:
    """The service, with what breaks it and what shows that it is whole."""

    def __init__(self, machine: Machine, folder: Path) -> None:
        self.machine = machine
        self.folder = folder
        operator = folder / "operator"
        operator.mkdir()
        self.operator = Operator(machine, operator)

    @property
    def cloud(self) -> AwsAccess:
        service = self.machine.service
        return AwsAccess(service.emulator_url, service.region, dummy_credentials=True)

    def outputs(self, stage: str) -> dict[str, str]:
        return stack_outputs(self.cloud.client("cloudformation"), f"vitrine-dev-{stage}")

    def ask(self, path: str, at: str = "") -> Answer:
        """Ask the origin, or `at` another address: the edge keeps answers."""
        url = f"{at or self.machine.service.origin_url}{path}"
        try:
            with urllib.request.urlopen(url, timeout=60) as found:
                return Answer(found.status, found.read(), None)
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, error.read(), error.headers.get("Retry-After"))

    def image(self, identifier: str, rest: str = "info.json") -> Answer:
        return self.ask(f"/iiif/3/{identifier}/{rest}")

    def pid(self, name: str) -> int:
        return next(item.pid for item in read_notes(self.machine.directory) if item.name == name)

    def kill(self, name: str) -> None:
        """Kill a program and all that it started, before it can replace what was killed."""
        for pid in process_tree(self.pid(name)):
            os.kill(pid, signal.SIGSTOP)
        for pid in process_tree(self.pid(name)):
            os.kill(pid, signal.SIGKILL)

    @contextmanager
    def halted(self, name: str) -> Iterator[None]:
        """Halt a program and all that it started: it answers nobody, and is not dead."""
        pids = process_tree(self.pid(name))
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)

    def upload(self, identifier: str, seed: int, side: int = SIDE) -> str:
        """Put a master into its bucket, as any S3 client would; return its key."""
        key = f"{identifier}.tif"
        draw(self.folder / key, seed, side)
        body = (self.folder / key).read_bytes()
        bucket = self.outputs("store")["MastersBucketName"]
        self.cloud.client("s3").put_object(Bucket=bucket, Key=key, Body=body)
        return key

    def counter(self, name: str) -> float:
        """Return a metric of the gateway, over all its labels unless `name` gives some."""
        samples = parse_samples(self.ask("/metrics").body.decode())
        starts = (f"vitrine_{name}{{", f"vitrine_{name}\n")
        return sum(value for key, value in samples.items() if f"{key}\n".startswith(starts))


def until(holds: Callable[[], object], what: str, pause: float = 0.5) -> None:
    """Wait until it holds, looking again after each pause."""
    deadline = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(pause)
