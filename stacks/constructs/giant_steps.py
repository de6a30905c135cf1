"""The states that convert a giant: request its conversion, run the task, read the outcome."""

from dataclasses import dataclass
from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from stacks.constructs.converter_task import CONTAINER, STEP, ConverterTask
from stacks.constructs.lambda_task import task_seconds
from stacks.constructs.python_function import PythonFunction, state_name
from stacks.constructs.retries import (
    BUSY,
    NO_TASK,
    RETRIES,
    TASK_KILLED,
    add_retries,
    longest_seconds,
)

CONVERSION_PATH = "$.conversion"
"""Path of the request's name in the state's input (`lambdas/request_conversion`)."""
TASK_SECONDS = 6 * 3_600
"""Time of one try. The largest master of any environment takes less
(`vitrine.ingest.inspect.estimate`)."""
STATE = state_name(f"{STEP}_giant")
REQUEST_RETRIES = (*RETRIES, BUSY)
TASK_RETRIES = (NO_TASK, TASK_KILLED)


def conversion_seconds() -> int:
    """Return how long the task may take, all its tries together."""
    return longest_seconds(TASK_SECONDS, TASK_RETRIES, tries=1 + TASK_KILLED.attempts)


@dataclass(frozen=True, kw_only=True)
class GiantSteps:
    """The functions and the task behind the states, in their order."""

    request_conversion: PythonFunction
    convert_master: ConverterTask
    read_conversion: PythonFunction

    @property
    def seconds(self) -> int:
        """How long the steps may take together, with all their tries."""
        waiting = longest_seconds(task_seconds(self.request_conversion), REQUEST_RETRIES)
        reading = longest_seconds(task_seconds(self.read_conversion))
        return waiting + conversion_seconds() + reading


def task_state(scope: Construct, task: ConverterTask) -> sfn.CustomState:
    """Return the state that runs the task and waits until it ends, in whatever way.

    The CDK's own construct would let the machine stop and describe any task of the account.
    """
    state = sfn.CustomState(scope, STATE, state_json=_definition(scope, task))
    add_retries(state, TASK_RETRIES)
    return state


def grant_task(machine: sfn.StateMachine, task: ConverterTask) -> None:
    """Let the machine run, watch and stop the task.

    Source: Step Functions, "Run Amazon ECS or Fargate tasks", IAM policies.
    """
    stack = cdk.Stack.of(task)
    run = stack.format_arn(
        service="ecs", resource="task-definition", resource_name=f"{task.family}:*"
    )
    tasks = stack.format_arn(
        service="ecs", resource="task", resource_name=f"{task.cluster.cluster_name}/*"
    )
    rule = stack.format_arn(
        service="events", resource="rule", resource_name="StepFunctionsGetEventsForECSTaskRule"
    )
    _allow(machine, [run], "ecs:RunTask")
    # Tagging a task is a permission of its own; only while it is started.
    iam.Grant.add_to_principal(
        grantee=machine,
        actions=["ecs:TagResource"],
        resource_arns=[tasks],
        conditions={"StringEquals": {"ecs:CreateAction": "RunTask"}},
    )
    _allow(machine, [tasks], "ecs:StopTask", "ecs:DescribeTasks")
    _allow(machine, [rule], "events:PutTargets", "events:PutRule", "events:DescribeRule")
    for role in (task.task_role, task.obtain_execution_role()):
        iam.Grant.add_to_principal(
            grantee=machine,
            actions=["iam:PassRole"],
            resource_arns=[role.role_arn],
            conditions={"StringEquals": {"iam:PassedToService": "ecs-tasks.amazonaws.com"}},
        )


def _allow(machine: sfn.StateMachine, resources: list[str], *actions: str) -> None:
    iam.Grant.add_to_principal(grantee=machine, actions=list(actions), resource_arns=resources)


def _definition(scope: Construct, task: ConverterTask) -> dict[str, Any]:
    return {
        "Type": "Task",
        "Resource": f"arn:{cdk.Stack.of(scope).partition}:states:::ecs:runTask.sync",
        "Parameters": {
            "Cluster": task.cluster.cluster_arn,
            # The newest revision: one that a deployment replaced can no longer be run.
            "TaskDefinition": task.family,
            "LaunchType": "FARGATE",
            # Without this, cost allocation tags miss the most expensive conversions.
            "PropagateTags": "TASK_DEFINITION",
            "NetworkConfiguration": {
                "AwsvpcConfiguration": {
                    "AssignPublicIp": "DISABLED",
                    "Subnets": task.subnets,
                    "SecurityGroups": [task.group.security_group_id],
                }
            },
            "Overrides": {
                "ContainerOverrides": [
                    {
                        "Name": CONTAINER,
                        "Environment": [{"Name": "VITRINE_CONVERSION", "Value.$": CONVERSION_PATH}],
                    }
                ]
            },
        },
        # The input is passed on: the outcome is an object in the bucket of records.
        "ResultPath": sfn.JsonPath.DISCARD,
        "TimeoutSeconds": TASK_SECONDS,
    }
