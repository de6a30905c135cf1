"""A migration by the deployed map whose command is killed three times."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.integration.local.machines import Machine, draw
from tests.integration.migrate.deployed_map import cloud, count_executions, read_output
from tests.patience import until
from vitrine.migrate.cloud_driver import ATTEMPT
from vitrine.migrate.plan import MigrationPlan

IMAGES = 500


def start_driver(machine: Machine, folder: Path, plan: Path) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "tests.integration.migrate.map_driver_process", folder, plan]
    return subprocess.Popen(command, env=machine.environment)


def kill_when(
    driver: "subprocess.Popen[bytes]", path: Path, reached: Callable[[MigrationPlan], bool]
) -> None:
    def look() -> bool:
        assert driver.poll() is None, "the command ended before it was killed"
        if not path.exists():
            return False
        with MigrationPlan(path) as plan:
            return reached(plan)

    until(look, pause=0.02)
    driver.kill()
    driver.wait()


def test_nothing_is_lost_or_doubled_however_often_the_command_is_killed(
    machine: Machine, tmp_path: Path
) -> None:
    service = machine.service
    folder, path = tmp_path / "masters", tmp_path / "plan"
    folder.mkdir()
    for number in range(IMAGES):
        draw(folder / f"page {number:03}.tif", number, side=64)
    before = count_executions(service, "ingest", "StateMachineArn")
    moments: list[Callable[[MigrationPlan], bool]] = [
        lambda plan: plan.imported() >= IMAGES / 10,
        lambda plan: plan.imported() >= IMAGES / 2,
        lambda plan: plan.fact(ATTEMPT) != "",
    ]
    for reached in moments:
        kill_when(start_driver(machine, folder, path), path, reached)
    assert start_driver(machine, folder, path).wait() == 0

    with MigrationPlan(path) as plan:
        counts = plan.counts()
        assert counts["published"] == IMAGES == sum(counts.values())
    assert count_executions(service, "ingest", "StateMachineArn") == before + IMAGES
    assert count_executions(service, "migrate", "MigrationMachineArn") == 1
    pages = cloud(service).client("s3").get_paginator("list_object_versions")
    bucket = read_output(service, "store", "MastersBucketName")
    found = pages.paginate(Bucket=bucket, Prefix="page ")
    assert sum(len(page["Versions"]) for page in found) == IMAGES
