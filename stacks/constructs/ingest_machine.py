"""The state machine that takes one master to a published image."""

from collections.abc import Mapping
from dataclasses import dataclass

import aws_cdk as cdk
from aws_cdk import aws_stepfunctions as sfn
from aws_cdk import aws_stepfunctions_tasks as tasks
from constructs import Construct

from stacks.constructs.lambda_task import lambda_task, task_seconds
from stacks.constructs.machine_log import machine_log
from stacks.constructs.python_function import PythonFunction
from stacks.constructs.retries import longest_seconds
from stacks.environments import Environment
from vitrine.errors import MasterRejected, SupersededMaster
from vitrine.ingest.size_class import SizeClass

ERROR_PATH = "$.error"
"""Where a caught error stands in the input of the step that records it."""


@dataclass(frozen=True, kw_only=True)
class IngestSteps:
    """The functions behind the states, in the order a master meets them."""

    read_header: PythonFunction
    convert_master: Mapping[SizeClass, PythonFunction]
    verify_access_master: PythonFunction
    publish_image: PythonFunction
    record_rejection: PythonFunction
    record_failure: PythonFunction

    @property
    def longest_way(self) -> list[PythonFunction]:
        """Of all ways through the machine, the one with most time: every step, every recorder."""
        slowest = max(self.convert_master.values(), key=lambda item: item.size.timeout_seconds)
        others = (self.verify_access_master, self.publish_image)
        return [self.read_header, slowest, *others, self.record_rejection, self.record_failure]


class IngestMachine(sfn.StateMachine):
    """ReadHeader, ConvertMaster by size class, VerifyAccessMaster, PublishImage; each may reject,
    give way to a newer master, or fail."""

    def __init__(
        self, scope: Construct, id_: str, *, environment: Environment, steps: IngestSteps
    ) -> None:
        self.timeout_seconds = sum(
            longest_seconds(task_seconds(item)) for item in steps.longest_way
        )
        super().__init__(
            scope,
            id_,
            definition_body=sfn.DefinitionBody.from_chainable(_definition(scope, steps)),
            state_machine_type=sfn.StateMachineType.STANDARD,
            timeout=cdk.Duration.seconds(self.timeout_seconds),
            tracing_enabled=True,
            logs=machine_log(scope, id_, environment),
        )


def _definition(scope: Construct, steps: IngestSteps) -> sfn.IChainable:
    failed = sfn.Fail(scope, "Failed", error_path=f"{ERROR_PATH}.Error")
    record_failure = lambda_task(scope, steps.record_failure)
    record_failure.add_catch(failed, errors=["States.ALL"], result_path=ERROR_PATH)
    record_failure.next(failed)

    record_rejection = lambda_task(scope, steps.record_rejection)
    record_rejection.add_catch(record_failure, errors=["States.ALL"], result_path=ERROR_PATH)
    record_rejection.next(sfn.Succeed(scope, "Rejected"))

    superseded = sfn.Succeed(scope, "Superseded")

    def step(function: PythonFunction) -> tasks.LambdaInvoke:
        task = lambda_task(scope, function)
        for error, target in (
            (MasterRejected.__name__, record_rejection),
            (SupersededMaster.__name__, superseded),
            ("States.ALL", record_failure),
        ):
            task.add_catch(target, errors=[error], result_path=ERROR_PATH)
        return task

    verify = step(steps.verify_access_master)
    verify.next(step(steps.publish_image)).next(sfn.Succeed(scope, "Published"))
    route = sfn.Choice(scope, "RouteBySize")
    for size, function in steps.convert_master.items():
        convert = step(function).next(verify)
        route.when(sfn.Condition.string_equals("$.size_class", size), convert)
        if size is SizeClass.LARGE:
            route.otherwise(convert)
    return step(steps.read_header).next(route)
