"""What these tests start, where it listens, and what they make there."""

import io
import json
import time
import zipfile
from dataclasses import dataclass
from typing import Any

from tests.patience import SECONDS, until
from vitrine.adapters.aws.access import AwsAccess
from vitrine.local.assembly import ZIP_EPOCH
from vitrine.local.process import Running

ROLE_NAME = "any"
"""A role without any right."""
ROLE = f"arn:aws:iam::000000000000:role/{ROLE_NAME}"


@dataclass(frozen=True)
class Emulated:
    """The emulator's process, and clients of it."""

    running: Running
    cloud: AwsAccess


def packed(name: str, text: str) -> bytes:
    """Return an archive of one file, whose bytes are those of its contents."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr(zipfile.ZipInfo(name, ZIP_EPOCH), text)
    return archive.getvalue()


def packed_program(name: str, text: str) -> bytes:
    """Return an archive of one program that can be executed."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as made:
        entry = zipfile.ZipInfo(name)
        entry.external_attr = 0o755 << 16
        made.writestr(entry, text)
    return archive.getvalue()


def make_function(cloud: Any, name: str, code: str, role: str = ROLE, **properties: Any) -> str:
    answer = cloud.client("lambda").create_function(
        FunctionName=name,
        Runtime="python3.13",
        Role=role,
        Handler="index.handler",
        Code={"ZipFile": packed("index.py", code)},
        Timeout=int(SECONDS),
        **properties,
    )
    return str(answer["FunctionArn"])


def make_machine(cloud: Any, name: str, function: str, catch: list[dict[str, Any]]) -> str:
    task = {
        "Type": "Task",
        "Resource": "arn:aws:states:::lambda:invoke",
        "Parameters": {"FunctionName": function, "Payload.$": "$"},
        "OutputPath": "$.Payload",
        "TimeoutSeconds": int(SECONDS),
        "Catch": catch,
        "End": True,
    }
    states = {"Work": task, "Caught": {"Type": "Succeed"}, "Other": {"Type": "Fail"}}
    answer = cloud.client("stepfunctions").create_state_machine(
        name=name, roleArn=ROLE, definition=json.dumps({"StartAt": "Work", "States": states})
    )
    return str(answer["stateMachineArn"])


def start_machine(cloud: Any, machine: str, count: int = 1) -> list[str]:
    """Return the executions that were started."""
    states = cloud.client("stepfunctions")
    return [
        states.start_execution(stateMachineArn=machine, input="{}")["executionArn"]
        for _ in range(count)
    ]


def ended(cloud: Any, executions: list[str]) -> list[dict[str, Any]]:
    """Return those that run no longer, described."""
    states = cloud.client("stepfunctions")
    described = [states.describe_execution(executionArn=item) for item in executions]
    return [item for item in described if item["status"] != "RUNNING"]


def run_machine(cloud: Any, machine: str, count: int = 1) -> list[dict[str, Any]]:
    started = start_machine(cloud, machine, count)
    until(lambda: len(ended(cloud, started)) == count)
    return ended(cloud, started)


def deploy_one(emulator: Emulated, resource: dict[str, Any]) -> str:
    formation = emulator.cloud.client("cloudformation")
    name = f"one-{time.time_ns()}"
    formation.create_stack(
        StackName=name, TemplateBody=json.dumps({"Resources": {"Only": resource}})
    )
    formation.get_waiter("stack_create_complete").wait(
        StackName=name, WaiterConfig={"Delay": 1, "MaxAttempts": int(SECONDS)}
    )
    return str(formation.describe_stacks(StackName=name)["Stacks"][0]["StackStatus"])
