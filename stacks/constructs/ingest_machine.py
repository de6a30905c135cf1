"""The state machine that takes one master to a published image."""

from collections.abc import Mapping
from dataclasses import dataclass

import aws_cdk as cdk
from aws_cdk import aws_stepfunctions as sfn
from aws_cdk import aws_stepfunctions_tasks as tasks
from constructs import Construct

from stacks.constructs.giant_steps import REQUEST_RETRIES, GiantSteps, grant_task, task_state
from stacks.constructs.lambda_task import lambda_task, task_seconds
from stacks.constructs.machine_log import machine_log
from stacks.constructs.python_function import PythonFunction
from stacks.constructs.retries import KILLED, RETRIES, Retry, longest_seconds
from stacks.environments import Environment
from vitrine.errors import MasterRejected, SupersededMaster
from vitrine.ingest.inspect.size_class import SizeClass

ERROR_PATH = "$.error"
"""Path of a caught error in the input of the step that records it."""


@dataclass(frozen=True, kw_only=True)
class IngestSteps:
    """The functions behind the states, in the order of the flow."""

    read_header: PythonFunction
    convert_master: Mapping[SizeClass, PythonFunction]
    verify_access_master: PythonFunction
    publish_image: PythonFunction
    record_rejection: PythonFunction
    record_failure: PythonFunction
    giants: GiantSteps | None = None
    """None: what the large function cannot hold is rejected."""

    @property
    def longest_seconds(self) -> int:
        """Time of the longest way through the machine: every step and every recorder."""
        others = (self.verify_access_master, self.publish_image)
        recorders = (self.record_rejection, self.record_failure)
        functions = [self.read_header, *self.convert_master.values(), *others, *recorders]
        seconds = sum(longest_seconds(task_seconds(item)) for item in functions)
        return seconds + (self.giants.seconds if self.giants else 0)


class IngestMachine(sfn.StateMachine):
    """ReadHeader, ConvertMaster by size class, VerifyAccessMaster, PublishImage.

    Each may reject the master, give way to a newer one, or fail. A master that kills a converter
    goes to the next larger one.
    """

    def __init__(
        self, scope: Construct, id_: str, *, environment: Environment, steps: IngestSteps
    ) -> None:
        self.timeout_seconds = steps.longest_seconds
        super().__init__(
            scope,
            id_,
            definition_body=sfn.DefinitionBody.from_chainable(_definition(scope, steps)),
            state_machine_type=sfn.StateMachineType.STANDARD,
            timeout=cdk.Duration.seconds(self.timeout_seconds),
            tracing_enabled=True,
            logs=machine_log(scope, id_, environment),
        )
        if steps.giants:
            grant_task(self, steps.giants.convert_master)


def _definition(scope: Construct, steps: IngestSteps) -> sfn.IChainable:
    failed = sfn.Fail(scope, "Failed", error_path=f"{ERROR_PATH}.Error")
    record_failure = lambda_task(scope, steps.record_failure)
    record_failure.add_catch(failed, errors=["States.ALL"], result_path=ERROR_PATH)
    record_failure.next(failed)

    record_rejection = lambda_task(scope, steps.record_rejection)
    record_rejection.add_catch(record_failure, errors=["States.ALL"], result_path=ERROR_PATH)
    record_rejection.next(sfn.Succeed(scope, "Rejected"))

    superseded = sfn.Succeed(scope, "Superseded")

    def step(
        function: PythonFunction,
        killed: sfn.IChainable | None = None,
        retries: tuple[Retry, ...] = RETRIES,
    ) -> tasks.LambdaInvoke:
        task = lambda_task(scope, function, retries)
        if killed is not None:
            task.add_catch(killed, errors=list(KILLED.errors), result_path=sfn.JsonPath.DISCARD)
        for error, target in (
            (MasterRejected.__name__, record_rejection),
            (SupersededMaster.__name__, superseded),
            ("States.ALL", record_failure),
        ):
            task.add_catch(target, errors=[error], result_path=ERROR_PATH)
        return task

    verify = step(steps.verify_access_master)
    verify.next(step(steps.publish_image)).next(sfn.Succeed(scope, "Published"))
    giant = None
    if steps.giants:
        giant = step(steps.giants.request_conversion, retries=REQUEST_RETRIES)
        read = step(steps.giants.read_conversion)
        read.next(verify)
        # The same step reads the outcome, however the task ends.
        task = task_state(scope, steps.giants.convert_master)
        task.add_catch(read, errors=["States.ALL"], result_path=ERROR_PATH)
        giant.next(task).next(read)
    # Pixels may take more memory than their header suggests: a master that kills the small Lambda
    # goes to the large one before it counts as a failure, and one that kills that to the task.
    large = step(steps.convert_master[SizeClass.LARGE], killed=giant)
    large.next(verify)
    small = step(steps.convert_master[SizeClass.SMALL], killed=large)
    small.next(verify)
    return step(steps.read_header).next(_route(scope, small, large, giant))


def _route(
    scope: Construct, small: sfn.IChainable, large: sfn.IChainable, giant: sfn.IChainable | None
) -> sfn.Choice:
    converters = {SizeClass.SMALL: small, SizeClass.LARGE: large, SizeClass.GIANT: giant}
    route = sfn.Choice(scope, "RouteBySize")
    for size, converter in converters.items():
        if converter:
            route.when(sfn.Condition.string_equals("$.size_class", size), converter)
    return route.otherwise(large)
