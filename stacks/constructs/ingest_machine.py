"""The state machine that takes one master to a published image."""

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
from vitrine.errors import ConverterTooSmall, MasterRejected, SupersededMaster

ERROR_PATH = "$.error"
"""Path of a caught error in the input of the step that records it."""


@dataclass(frozen=True, kw_only=True)
class IngestSteps:
    """The functions behind the states, in the order of the flow."""

    convert_master: tuple[PythonFunction, ...]
    """The smallest first."""
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
        functions = [*self.convert_master, *others, *recorders]
        seconds = sum(longest_seconds(task_seconds(item)) for item in functions)
        return seconds + (self.giants.seconds if self.giants else 0)


class IngestMachine(sfn.StateMachine):
    """ConvertMaster, VerifyAccessMaster, PublishImage: each with the rights of its step alone.

    Each may reject the master, give way to a newer one, or fail. A master for which a converter is
    too small, by its header or because it is killed, goes to the next larger one. AWS charges every
    state that is entered, so none only routes or ends (ADR 0047).
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

    superseded = sfn.Succeed(scope, "Superseded")

    def step(
        function: PythonFunction,
        larger: sfn.IChainable | None = None,
        retries: tuple[Retry, ...] = RETRIES,
    ) -> tasks.LambdaInvoke:
        task = lambda_task(scope, function, retries)
        if larger is not None:
            too_small = [ConverterTooSmall.__name__, *KILLED.errors]
            task.add_catch(larger, errors=too_small, result_path=sfn.JsonPath.DISCARD)
        for error, target in (
            (MasterRejected.__name__, record_rejection),
            (SupersededMaster.__name__, superseded),
            ("States.ALL", record_failure),
        ):
            task.add_catch(target, errors=[error], result_path=ERROR_PATH)
        return task

    verify = step(steps.verify_access_master)
    verify.next(step(steps.publish_image))
    converter = None
    if steps.giants:
        converter = step(steps.giants.request_conversion, retries=REQUEST_RETRIES)
        read = step(steps.giants.read_conversion)
        read.next(verify)
        # The same step reads the outcome, however the task ends.
        task = task_state(scope, steps.giants.convert_master)
        task.add_catch(read, errors=["States.ALL"], result_path=ERROR_PATH)
        converter.next(task).next(read)
    for function in reversed(steps.convert_master):
        converter = step(function, larger=converter)
        converter.next(verify)
    assert converter
    return converter
