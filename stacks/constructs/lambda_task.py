"""States that invoke our functions, all with the same form of result, timeout and retries."""

import aws_cdk as cdk
from aws_cdk import aws_stepfunctions as sfn
from aws_cdk import aws_stepfunctions_tasks as tasks
from constructs import Construct

from stacks.constructs.python_function import PythonFunction
from stacks.constructs.retries import RETRIES, Retry, add_retries

GRACE_SECONDS = 30
"""Time that a task may take beyond its function's own timeout."""


def lambda_task(
    scope: Construct, function: PythonFunction, retries: tuple[Retry, ...] = RETRIES
) -> tasks.LambdaInvoke:
    """Invoke `function` with the state's input; its result is the state's output.

    The construct's own retrier would match first; it has no jitter and ignores throttling.
    """
    task = tasks.LambdaInvoke(
        scope,
        f"{function.state}State",
        state_name=function.state,
        lambda_function=function,
        output_path="$.Payload",
        retry_on_service_exceptions=False,
        task_timeout=sfn.Timeout.duration(cdk.Duration.seconds(task_seconds(function))),
    )
    add_retries(task, retries)
    return task


def task_seconds(function: PythonFunction) -> int:
    """Return how long one try of the state may take."""
    return function.size.timeout_seconds + GRACE_SECONDS
