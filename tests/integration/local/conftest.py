"""Emulators of their own for these tests: free ports, throw-away folders."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rigs.free_port import free_port, free_ports
from tests.integration.local.api_client import Api, open_api
from tests.integration.local.emulators import ROLE_NAME, Emulated
from vitrine.local import emulator, emulator_patches, process

if TYPE_CHECKING:
    from conftest import Service

    from tests.integration.local.runbook_service import Here

REGION = "us-east-1"


def _start(directory: Path, without: str) -> Iterator[Emulated]:
    port = free_port()
    running = emulator.start(directory, port, REGION, without)
    cloud = emulator.access(REGION, port)
    try:
        cloud.client("iam").create_role(RoleName=ROLE_NAME, AssumeRolePolicyDocument="{}")
        yield Emulated(running, cloud)
    finally:
        process.stop_all(directory)


@pytest.fixture(scope="session")
def patched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulated]:
    """The emulator as `vitrine up` starts it."""
    yield from _start(tmp_path_factory.mktemp("patched"), "")


@pytest.fixture(scope="session")
def unqueued(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulated]:
    """The emulator with AWS's throttling instead of a queue for the machine's cores."""
    yield from _start(tmp_path_factory.mktemp("unqueued"), "limit_parallel_tasks")


@pytest.fixture(scope="session")
def unwatched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulated]:
    """The emulator with tasks of ECS that run, but that no state of a machine heeds."""
    names = "fail_with_task stop_task_at_timeout"
    yield from _start(tmp_path_factory.mktemp("unwatched"), names)


@pytest.fixture(scope="session")
def unsourced(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulated]:
    """The emulator whose policies know no source of events, and no key of two lines."""
    names = "know_the_source_of_events match_any_character take_a_batch_for_its_action "
    names += "hold_map_runs_against_policies"
    yield from _start(tmp_path_factory.mktemp("unsourced"), names)


@pytest.fixture(scope="session")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulated]:
    """The emulator without any of our patches."""
    names = " ".join(emulator_patches.patches(parallel_tasks=1))
    yield from _start(tmp_path_factory.mktemp("bare"), names)


@pytest.fixture(scope="session")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator["Here"]:
    """A service to break and to mend as the run books say, with an operator."""
    from tests.integration.local.machines import Machine, draw  # not by every worker
    from tests.integration.local.runbook_service import IMAGES, Here

    machine = Machine(tmp_path_factory.mktemp("r"), free_ports(3))
    masters = tmp_path_factory.mktemp("masters")
    for seed, name in enumerate(IMAGES):
        draw(masters / f"{name}.tif", seed + 1)
    try:
        done = machine.up("--masters", masters)
        assert done.returncode == 0, done.stdout + done.stderr
        yield Here(machine, tmp_path_factory.mktemp("o"))
    finally:
        machine.run("down")


@pytest.fixture(scope="module")
def api(door: "Service") -> Api:
    """The API of a module's service with a photo door."""
    return open_api(door)


@pytest.fixture(scope="module")
def token(api: Api) -> str:
    """A form that the API signs; the first one makes the key."""
    status, _, form = api.call("POST", "/photo-forms", {"subject": "tests"})
    assert status == 201, form
    return str(form["token"])
