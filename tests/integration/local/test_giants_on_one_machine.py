"""Masters that no Lambda can hold go through a task of the deployed template, killed or not."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import pyvips

from tests.integration.local.machines import VITRINE, Machine, draw, machine_of
from vitrine.adapters.aws.stack_outputs import stack_outputs
from vitrine.local import emulator, process, up

NOTHING = {"VITRINE_CONVERTER_DISK_MEBIBYTES": "0"}
"""No Lambda has any disk, so every master is a giant."""
INGEST = f"vitrine-{up.STAGE}-ingest"
COMMAND = b"lambdas.convert_master.task"


@pytest.fixture(scope="module")
def machine(service: Any) -> Iterator[Machine]:
    """The service, whose Lambdas take every master for a giant meanwhile."""
    made = machine_of(service)
    port = urlsplit(service.addresses.emulator_url).port or 0
    lambdas = emulator.access(up.REGION, port).client("lambda")
    own = {
        item["FunctionName"]: item["Environment"]["Variables"]
        for item in lambdas.list_functions()["Functions"]
        if "-ConvertMaster" in item["FunctionName"]
    }
    assert len(own) == 2

    def set_variables(more: dict[str, str]) -> None:
        for name, variables in own.items():
            lambdas.update_function_configuration(
                FunctionName=name, Environment={"Variables": variables | more}
            )

    set_variables(NOTHING)
    try:
        yield made
    finally:
        set_variables({})


def tasks_of(machine: Machine) -> set[int]:
    """Numbers of the processes that convert giants: children of this service's emulator."""
    (parent,) = (
        item.pid for item in process.read_notes(machine.directory) if item.name == emulator.NAME
    )
    found = set()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            stat = (entry / "stat").read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if COMMAND in words and int(stat[1]) == parent:
            found.add(int(entry.name))
    return found


def history(machine: Machine) -> list[dict[str, Any]]:
    """Events of the newest execution of the ingest machine."""
    port = int(machine.service.emulator_url.rpartition(":")[2])
    cloud = emulator.access(up.REGION, port)
    states = cloud.client("stepfunctions")
    arn = stack_outputs(cloud.client("cloudformation"), INGEST)["StateMachineArn"]
    newest = max(
        states.list_executions(stateMachineArn=arn)["executions"],
        key=lambda item: item["startDate"],
    )
    answer = states.get_execution_history(executionArn=newest["executionArn"])
    events: list[dict[str, Any]] = answer["events"]
    return events


def status(machine: Machine, name: str) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(machine.run("status", name, "--json").stdout)
    return report


def test_a_giant_whose_task_is_killed_is_tried_again_and_published(
    machine: Machine, tmp_path: Path
) -> None:
    draw(tmp_path / "giant.tif", 1)
    command = [VITRINE, "ingest", tmp_path / "giant.tif"]
    with subprocess.Popen(command, env=machine.environment) as ingest:
        while not (numbers := tasks_of(machine)):
            assert ingest.poll() is None, "no task was seen"
            time.sleep(0.01)
        (number,) = numbers
        os.kill(number, signal.SIGKILL)
        assert ingest.wait() == 0
    assert status(machine, "giant.tif")["state"] == "live"
    errors = [
        item["taskFailedEventDetails"] for item in history(machine) if "Failed" in item["type"]
    ]
    passed_on = ["ConverterTooSmall"] * 2
    assert [item["error"] for item in errors] == [*passed_on, "States.TaskFailed"]
    assert json.loads(errors[-1]["cause"])["Containers"][0]["ExitCode"] == 137


def test_a_giant_that_is_rejected_in_its_task_is_recorded_with_its_reason(
    machine: Machine, tmp_path: Path
) -> None:
    path = tmp_path / "broken.tif"
    draw(tmp_path / "whole.tif", 2)
    pyvips.Image.new_from_file(str(tmp_path / "whole.tif")).tiffsave(
        str(path), compression="deflate"
    )
    body = bytearray(path.read_bytes())
    middle = len(body) // 2
    body[middle : middle + 2_000] = bytes(2_000)
    path.write_bytes(body)
    done = machine.run("ingest", path)
    assert done.returncode == 1
    assert "damaged-file" in done.stdout
    names = [
        item["stateEnteredEventDetails"]["name"]
        for item in history(machine)
        if "stateEnteredEventDetails" in item
    ]
    assert names[-3:] == ["ConvertMasterGiant", "ReadConversion", "RecordRejection"]
