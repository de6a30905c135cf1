"""Emulators of their own for these tests: free ports, throw-away folders."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.free_ports import free_ports
from tests.integration.local.emulators import Emulated
from vitrine.local import emulator, process

REGION = "us-east-1"


def _start(directory: Path, without: str) -> Iterator[Emulated]:
    port = free_ports(1)[0]
    running = emulator.start(directory, port, REGION, without)
    try:
        yield Emulated(running, emulator.access(REGION, port))
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
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulated]:
    """The emulator without any of our patches."""
    names = (
        "name_exceptions name_deaths throttle_at_reserved_concurrency limit_parallel_tasks"
        " start_at_once read_ranges_from_disk keep_versions_on_disk accept_types"
        " keep_container_properties run_tasks fail_with_task stop_task_at_timeout"
    )
    yield from _start(tmp_path_factory.mktemp("bare"), names)
