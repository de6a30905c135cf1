"""The state machine that takes one master to a published image."""

from dataclasses import dataclass

import aws_cdk as cdk
from aws_cdk import aws_stepfunctions as sfn
from aws_cdk import aws_stepfunctions_tasks as tasks
from constructs import Construct

from stacks.constructs.kept_log import KeptLog
from stacks.constructs.python_function import PythonFunction, state_name
from stacks.environments import Environment
from vitrine.errors import RETRYABLE, MasterRejected, SupersededMaster

LAMBDA_ERRORS = (
    "Lambda.TooManyRequestsException",
    "Lambda.ServiceException",
    "Lambda.AWSLambdaException",
    "Lambda.SdkClientException",
    "Lambda.ClientExecutionTimeoutException",
)
EXECUTION_TIMEOUT = cdk.Duration.hours(2)
GRACE_SECONDS = 30
"""What a task may take beyond its function's own timeout."""
ERROR_PATH = "$.error"
"""Where a caught error stands in the input of the step that records it."""


@dataclass(frozen=True, kw_only=True)
class IngestSteps:
    """The functions behind the states, in the order a master meets them."""

    read_header: PythonFunction
    convert_master: PythonFunction
    verify_access_master: PythonFunction
    publish_image: PythonFunction
    record_rejection: PythonFunction
    record_failure: PythonFunction


class IngestMachine(sfn.StateMachine):
    """ReadHeader, ConvertMaster, VerifyAccessMaster, PublishImage; each may reject, give way to a
    newer master, or fail."""

    def __init__(
        self, scope: Construct, id_: str, *, environment: Environment, steps: IngestSteps
    ) -> None:
        super().__init__(
            scope,
            id_,
            definition_body=sfn.DefinitionBody.from_chainable(_definition(scope, steps)),
            state_machine_type=sfn.StateMachineType.STANDARD,
            timeout=EXECUTION_TIMEOUT,
            tracing_enabled=True,
            logs=sfn.LogOptions(
                destination=KeptLog(scope, f"{id_}Log", environment=environment),
                level=sfn.LogLevel.ERROR if environment.protected else sfn.LogLevel.ALL,
                include_execution_data=True,
            ),
        )


def _definition(scope: Construct, steps: IngestSteps) -> sfn.IChainable:
    failed = sfn.Fail(scope, "Failed", error_path=f"{ERROR_PATH}.Error")
    record_failure = _task(scope, steps.record_failure)
    record_failure.add_catch(failed, errors=["States.ALL"], result_path=ERROR_PATH)
    record_failure.next(failed)

    record_rejection = _task(scope, steps.record_rejection)
    record_rejection.add_catch(record_failure, errors=["States.ALL"], result_path=ERROR_PATH)
    record_rejection.next(sfn.Succeed(scope, "Rejected"))

    superseded = sfn.Succeed(scope, "Superseded")
    path = [
        _task(scope, function)
        for function in (
            steps.read_header,
            steps.convert_master,
            steps.verify_access_master,
            steps.publish_image,
        )
    ]
    for task in path:
        for error, target in (
            (MasterRejected.__name__, record_rejection),
            (SupersededMaster.__name__, superseded),
            ("States.ALL", record_failure),
        ):
            task.add_catch(target, errors=[error], result_path=ERROR_PATH)
    return (
        sfn.Chain.start(path[0])
        .next(path[1])
        .next(path[2])
        .next(path[3])
        .next(sfn.Succeed(scope, "Published"))
    )


def _task(scope: Construct, function: PythonFunction) -> tasks.LambdaInvoke:
    """Invoke `function` with the state's input; its result is the state's output.

    The construct's own retrier matches first and has neither jitter nor throttling in it.
    """
    task = tasks.LambdaInvoke(
        scope,
        f"{state_name(function.step)}State",
        state_name=state_name(function.step),
        lambda_function=function,
        output_path="$.Payload",
        retry_on_service_exceptions=False,
        task_timeout=sfn.Timeout.duration(
            cdk.Duration.seconds(function.size.timeout_seconds + GRACE_SECONDS)
        ),
    )
    task.add_retry(
        errors=[*RETRYABLE, *LAMBDA_ERRORS],
        interval=cdk.Duration.seconds(2),
        backoff_rate=2,
        max_attempts=6,
        max_delay=cdk.Duration.seconds(60),
        jitter_strategy=sfn.JitterType.FULL,
    )
    return task
