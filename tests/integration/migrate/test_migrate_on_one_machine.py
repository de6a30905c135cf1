"""A collection migrated into a real service: by the local driver, killed, and by the map."""

import json
import os
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.integration.local.machines import VITRINE, Machine, draw
from tests.integration.migrate.deployed_map import (
    cloud,
    connect_map_runs,
    count_executions,
    read_output,
)
from vitrine.bootstrap.deployed_services import migration_services
from vitrine.errors import ObjectMissing
from vitrine.migrate.cloud_driver import CloudDriver
from vitrine.migrate.plan import MigrationPlan
from vitrine.migrate.prepare import Collection, prepare_plan
from vitrine.migrate.tolerance import Tolerance
from vitrine.store.layout import metadata_key

IMAGES = 8
SECONDS = 480


@pytest.fixture(scope="module")
def manifest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`IMAGES` pictures, named by a spreadsheet's CSV."""
    folder = tmp_path_factory.mktemp("collection")
    rows = ["source;identifier;title"]
    for number in range(IMAGES):
        draw(folder / f"scan {number}.tif", number)
        rows.append(f'scan {number}.tif;SK-A-{number};"Täfel; {number}"')
    path = folder / "manifest.csv"
    path.write_bytes("\ufeff".encode() + "\r\n".join(rows).encode() + b"\r\n")
    return path


def ingests(machine: Machine) -> int:
    """Return how many executions the ingest machine has had."""
    return count_executions(machine.service, "ingest", "StateMachineArn")


def published(machine: Machine) -> int:
    """Return the number of rows that the plan of the running command counts as published."""
    plans = list((machine.directory / "migrations").glob("*/plan.sqlite"))
    if not plans:
        return 0
    with MigrationPlan(plans[0]) as plan:
        return plan.counts()["published"]


def test_a_killed_migration_goes_on_and_does_nothing_twice(
    machine: Machine, manifest: Path
) -> None:
    before = ingests(machine)
    command = [VITRINE, "masters", "migrate", manifest, "--at-once", "2", "--json"]
    running = subprocess.Popen(command, env=machine.environment, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + SECONDS
    while published(machine) < 2 and time.monotonic() < deadline:
        time.sleep(0.1)
    running.send_signal(signal.SIGKILL)
    running.wait()
    assert 2 <= published(machine) < IMAGES
    done = machine.run("masters", "migrate", manifest, "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["counts"]["published"], report["counts"]["unchanged"]) == (IMAGES, 0)

    s3 = cloud(machine.service).client("s3")
    bucket = read_output(machine.service, "store", "MastersBucketName")
    versions = s3.list_object_versions(Bucket=bucket, Prefix="scan ")["Versions"]
    assert len(versions) == IMAGES
    assert ingests(machine) == before + IMAGES


def test_again_all_is_unchanged(machine: Machine, manifest: Path) -> None:
    report = json.loads(machine.run("masters", "migrate", manifest, "--json").stdout)
    assert (report["counts"]["published"], report["counts"]["unchanged"]) == (0, IMAGES)


def test_the_deployed_map_migrates_its_items(
    machine: Machine,
    manifest: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What `cdk deploy` would send, run by the emulator over the same per-item code."""
    for name, value in machine.environment.items():
        if os.environ.get(name) != value:
            monkeypatch.setenv(name, value)
    runs = connect_map_runs(machine.service)
    services = replace(migration_services("local"), map_runs=runs)
    draw(tmp_path / "new.tif", 50)
    s3 = cloud(machine.service).client("s3")
    s3.create_bucket(Bucket="lab")
    s3.upload_file(str(tmp_path / "new.tif"), "lab", "2026/é.tif")
    rows = [{"source": f"scan {n}.tif", "identifier": f"SK-A-{n}", "year": n} for n in range(3)]
    rows.append({"source": "s3://lab/2026/é.tif", "identifier": "Neu/ß"})
    lines = manifest.with_name("more.jsonl")
    lines.write_text("\n".join(json.dumps(row) for row in rows))
    with MigrationPlan(tmp_path / "plan") as plan:
        prepare_plan(plan, Collection(place=lines), "local", services)
        seen: list[Any] = []
        driver = CloudDriver(
            services=services,
            map_runs=runs,
            plan=plan,
            at_once=2,
            tolerance=Tolerance(5),
            on_progress=seen.append,
            sleep=lambda seconds: time.sleep(0.5),
        )
        assert driver.run()
        # Three of them may have been migrated before, by another test.
        assert plan.counts()["published"] + plan.counts()["unchanged"] == len(rows)
    assert seen[-1].status == "succeeded"
    assert seen[-1].done == 1  # batch: the emulator counts children, not items
    body, _ = services.ingest.records.get(metadata_key("SK-A-2"))
    assert json.loads(body)["metadata"] == {"year": 2}
    copied = services.ingest.masters.head("lab/2026/é.tif")
    assert copied.metadata["identifier"] == "Neu/ß"
    with pytest.raises(ObjectMissing):
        services.foreign.head("nobodys/1.tif")
