"""Tests of the product do not need the laboratory, but for servers that both start."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from vitrine.bootstrap.local_service import REPOSITORY

TESTS = REPOSITORY / "tests"
OWN = (
    *("unit/loadtest/", "integration/loadtest/", "unit/capacity/", "integration/capacity/"),
    *("infrastructure/test_loadtest_promises.py", "infrastructure/test_capacity_promises.py"),
    *("infrastructure/test_plan_prices.py",),
)
SHARED = (
    # Servers that drills press and damage, and tests of delivery and ingest too.
    "loadtest.rigs.object_server",
    "loadtest.rigs.rig",
    "loadtest.rigs.service_instance",
    "loadtest.rigs.photo_doors.our_door",
    # A worker of pytest has ports of its own, for servers that either side starts.
    "loadtest.rigs.free_port",
    # What viewers ask for, as load tests send it.
    "loadtest.workload",
)


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Import(names=names):
                yield from (name.name for name in names)
            case ast.ImportFrom(module=str(module), names=names):
                yield from (f"{module}.{name.name}" for name in names)


def is_laboratory(name: str) -> bool:
    return name.split(".")[0] in ("loadtest", "capacity")


@pytest.mark.slow
def test_tests_outside_the_laboratory_import_nothing_of_it_but_shared_servers() -> None:
    found = {
        f"{path.relative_to(TESTS)}: {name}"
        for path in TESTS.rglob("*.py")
        if not path.relative_to(TESTS).as_posix().startswith(OWN)
        for name in imports(path)
        if is_laboratory(name) and not name.startswith(SHARED)
    }
    assert found == set()


@pytest.mark.slow
def test_each_shared_server_is_used_by_a_test_outside() -> None:
    used = {
        shared
        for path in TESTS.rglob("*.py")
        if not path.relative_to(TESTS).as_posix().startswith(OWN)
        for name in imports(path)
        for shared in SHARED
        if name.startswith(shared)
    }
    assert used == set(SHARED)
