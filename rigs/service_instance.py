"""A service of the benchmark's own: the templates on an emulator, nothing else in it."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rigs.free_port import free_ports
from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.stack_outputs import stack_outputs
from vitrine.bootstrap.deployment import Deployment, deployment
from vitrine.bootstrap.local_service import DIRECTORY_VARIABLE, LocalService
from vitrine.local import process
from vitrine.local.emulator import NAME as EMULATOR
from vitrine.local.progress import Progress
from vitrine.local.timer import NAME as TIMER
from vitrine.local.up import Ports, down, up


@dataclass(frozen=True, kw_only=True)
class Instance:
    """The running service: its deployment and its processes."""

    service: Deployment
    access: AwsAccess
    machine_arn: str
    """ARN of the ingest state machine."""
    emulator_pid: int
    task_pids: tuple[int, ...]
    """nginx, gateway and iipsrv, and the edge."""


@contextmanager
def start_instance(directory: Path) -> Iterator[Instance]:
    """Start a service with its state in `directory`, which is emptied; stop it at the end.

    Raises what `vitrine.local.up.up` does, TransientError without free ports.
    """
    shutil.rmtree(directory, ignore_errors=True)
    before = os.environ.get(DIRECTORY_VARIABLE)
    os.environ[DIRECTORY_VARIABLE] = str(directory.resolve())
    try:
        edge, origin, emulator = free_ports(3)
        ports = Ports(edge=edge, origin=origin, emulator=emulator)
        service, _ = up(directory.resolve(), ports, Progress())
        yield running_in(directory.resolve(), service)
    finally:
        down(directory.resolve(), Progress())
        shutil.rmtree(directory, ignore_errors=True)
        if before is None:
            del os.environ[DIRECTORY_VARIABLE]
        else:
            os.environ[DIRECTORY_VARIABLE] = before


def running_in(directory: Path, service: LocalService) -> Instance:
    """Return a service that already runs, with its state in `directory`."""
    access = AwsAccess(service.emulator_url, service.region, dummy_credentials=True)
    outputs = stack_outputs(access.client("cloudformation"), f"vitrine-{service.stage}-ingest")
    items = process.read_notes(directory)
    return Instance(
        service=deployment(),
        access=access,
        machine_arn=outputs["StateMachineArn"],
        emulator_pid=next(item.pid for item in items if item.name == EMULATOR),
        task_pids=tuple(item.pid for item in items if item.name not in (EMULATOR, TIMER)),
    )
