"""The state machine that withdraws the image of a deleted master."""

import aws_cdk as cdk
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from stacks.constructs.lambda_task import lambda_task
from stacks.constructs.machine_log import machine_log
from stacks.constructs.python_function import PythonFunction
from stacks.environments import Environment
from vitrine.errors import SupersededMaster

MAX_DURATION = cdk.Duration.days(31)
"""The longest grace period, and a day."""


class WithdrawalMachine(sfn.StateMachine):
    """GracePeriod, then WithdrawImage, which looks whether the master was restored.

    The grace period is part of the input. A failure is not queued for a redrive: the reconciler
    starts the withdrawal again.
    """

    def __init__(
        self, scope: Construct, id_: str, *, environment: Environment, withdraw: PythonFunction
    ) -> None:
        grace = sfn.Wait(scope, "GracePeriod", time=sfn.WaitTime.seconds_path("$.grace_seconds"))
        task = lambda_task(scope, withdraw)
        task.add_catch(sfn.Succeed(scope, "Kept"), errors=[SupersededMaster.__name__])
        super().__init__(
            scope,
            id_,
            definition_body=sfn.DefinitionBody.from_chainable(
                grace.next(task).next(sfn.Succeed(scope, "Withdrawn"))
            ),
            state_machine_type=sfn.StateMachineType.STANDARD,
            timeout=MAX_DURATION,
            tracing_enabled=True,
            logs=machine_log(scope, id_, environment),
        )
