"""The state machine of one walk of the reconciler: run after run, until all is compared."""

import aws_cdk as cdk
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from stacks.constructs.lambda_task import lambda_task
from stacks.constructs.machine_log import machine_log
from stacks.constructs.python_function import PythonFunction
from stacks.environments import Environment

PAUSE = cdk.Duration.minutes(5)
"""Pause of a walk when too much is running."""
MAX_DURATION = cdk.Duration.days(7)


class ReconcileMachine(sfn.StateMachine):
    """Runs of Reconcile, each of which passes its position to the next as the state's output."""

    def __init__(
        self, scope: Construct, id_: str, *, environment: Environment, reconcile: PythonFunction
    ) -> None:
        run = lambda_task(scope, reconcile)
        pause = sfn.Wait(scope, "Pause", time=sfn.WaitTime.duration(PAUSE))
        through = sfn.Choice(scope, "Through")
        through.when(sfn.Condition.boolean_equals("$.done", True), sfn.Succeed(scope, "Reconciled"))
        through.when(sfn.Condition.boolean_equals("$.crowded", True), pause.next(run))
        through.otherwise(run)
        super().__init__(
            scope,
            id_,
            definition_body=sfn.DefinitionBody.from_chainable(run.next(through)),
            state_machine_type=sfn.StateMachineType.STANDARD,
            timeout=MAX_DURATION,
            tracing_enabled=True,
            logs=machine_log(scope, id_, environment),
        )
