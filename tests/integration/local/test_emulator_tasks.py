"""Tasks of ECS on the emulator: AWS's behaviour holds with our patches, and still not without.

When `test_still_needed_<patch>` fails, ministack does as AWS does by now: drop the patch.
"""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.integration.local.emulators import ROLE, Emulated, run_machine
from tests.patience import SECONDS, until


def define(cloud: Any, command: list[str], **environment: str) -> str:
    """Register tasks with one container and a volume under /scratch; return the family's name."""
    family = f"tasks-{time.time_ns()}"
    cloud.client("ecs").register_task_definition(
        family=family,
        requiresCompatibilities=["FARGATE"],
        networkMode="awsvpc",
        cpu="256",
        memory="512",
        volumes=[{"name": "scratch"}],
        containerDefinitions=[
            {
                "name": "work",
                "image": "any",
                "command": command,
                "environment": [{"name": k, "value": v} for k, v in environment.items()],
                "mountPoints": [{"sourceVolume": "scratch", "containerPath": "/scratch"}],
            }
        ],
    )
    return family


def run_to_its_end(
    emulator: Emulated, family: str, seconds: int = int(SECONDS), **environment: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Run one task of the family in an execution that waits for it; return both, described."""
    cloud = emulator.cloud
    cluster = f"cluster-{time.time_ns()}"
    cloud.client("ecs").create_cluster(clusterName=cluster)
    overrides = [{"Name": k, "Value": v} for k, v in environment.items()]
    task = {
        "Type": "Task",
        "Resource": "arn:aws:states:::ecs:runTask.sync",
        "Parameters": {
            "Cluster": cluster,
            "TaskDefinition": family,
            "LaunchType": "FARGATE",
            "Overrides": {"ContainerOverrides": [{"Name": "work", "Environment": overrides}]},
        },
        "TimeoutSeconds": seconds,
        "End": True,
    }
    machine = cloud.client("stepfunctions").create_state_machine(
        name=cluster, roleArn=ROLE, definition=json.dumps({"StartAt": "T", "States": {"T": task}})
    )
    (execution,) = run_machine(cloud, machine["stateMachineArn"])
    (arn,) = (
        cloud.client("ecs").list_tasks(cluster=cluster)["taskArns"]
        or (cloud.client("ecs").list_tasks(cluster=cluster, desiredStatus="STOPPED")["taskArns"])
    )
    (described,) = cloud.client("ecs").describe_tasks(cluster=cluster, tasks=[arn])["tasks"]
    cloud.client("ecs").stop_task(cluster=cluster, task=arn)  # or ministack waits for it for ever
    return execution, described


def test_a_task_runs_the_command_of_its_definition_with_what_its_start_adds(
    patched: Emulated, tmp_path: Path
) -> None:
    output = tmp_path / "output"
    command = ["sh", "-c", f'echo "$KEPT $CHANGED" >$TMPDIR/x && cp $TMPDIR/x {output}']
    family = define(patched.cloud, command, KEPT="a", CHANGED="b", TMPDIR="/scratch")
    execution, task = run_to_its_end(patched, family, CHANGED="c")
    assert execution["status"] == "SUCCEEDED"
    assert output.read_text() == "a c\n"
    assert (task["lastStatus"], task["containers"][0]["exitCode"]) == ("STOPPED", 0)


@pytest.mark.parametrize(("command", "code"), [("exit 3", 3), ("kill -9 $$", 137)])
def test_a_state_fails_with_its_task_and_says_how(
    patched: Emulated, command: str, code: int
) -> None:
    family = define(patched.cloud, ["sh", "-c", command])
    execution, task = run_to_its_end(patched, family)
    assert (execution["status"], execution["error"]) == ("FAILED", "States.TaskFailed")
    cause = json.loads(execution["cause"])
    assert cause["StopCode"] == "EssentialContainerExited"
    assert cause["Containers"][0]["ExitCode"] == task["containers"][0]["exitCode"] == code


def test_a_command_that_is_not_there_stops_the_task(patched: Emulated) -> None:
    execution, task = run_to_its_end(patched, define(patched.cloud, ["no-such-program"]))
    assert execution["error"] == "States.TaskFailed"
    assert "no-such-program" in task["stoppedReason"]


def test_a_state_that_is_out_of_time_stops_its_task(patched: Emulated, tmp_path: Path) -> None:
    number = tmp_path / "number"
    number.touch()
    command = ["sh", "-c", f"echo $$ >{number}; exec sleep 600"]
    for seconds in (2, 20, 200):
        execution, task = run_to_its_end(patched, define(patched.cloud, command), seconds)
        assert execution["error"] == "States.Timeout"
        assert task["lastStatus"] == "STOPPED"
        if number.read_text():  # else it had not even begun by then
            break
    assert number.read_text()
    process = Path("/proc", number.read_text().strip(), "stat")
    until(lambda: has_ended(process))


def has_ended(process: Path) -> bool:
    try:
        return process.read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def test_still_needed_run_tasks(bare: Emulated) -> None:
    execution, task = run_to_its_end(bare, define(bare.cloud, ["sh", "-c", "exit 3"]), seconds=2)
    assert execution["error"] == "States.Timeout"
    assert task["lastStatus"] == "RUNNING"


def test_still_needed_fail_with_task(unwatched: Emulated) -> None:
    execution, task = run_to_its_end(unwatched, define(unwatched.cloud, ["sh", "-c", "exit 3"]))
    assert execution["status"] == "SUCCEEDED"
    assert task["containers"][0]["exitCode"] == 3


def test_still_needed_stop_task_at_timeout(unwatched: Emulated) -> None:
    family = define(unwatched.cloud, ["sleep", "600"])
    execution, task = run_to_its_end(unwatched, family, seconds=2)
    assert execution["error"] == "States.Timeout"
    assert task["lastStatus"] == "RUNNING"
