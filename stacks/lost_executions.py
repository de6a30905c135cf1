"""Executions that did not succeed and perhaps left no record: each is looked after once more."""

from aws_cdk import aws_events as events
from constructs import Construct

from stacks.constructs.alarms import AlarmTopic
from stacks.constructs.ingest_machine import IngestMachine
from stacks.constructs.python_function import PythonFunction
from stacks.constructs.work_queue import WorkQueue

MIN_PARALLEL = 2
"""Least concurrency that Lambda allows for a queue's worker."""


def queue_lost_executions(
    scope: Construct, *, recorder: PythonFunction, machine: IngestMachine, alarms: AlarmTopic
) -> None:
    """Have `recorder` look after every execution that ended without success."""
    ended = WorkQueue(
        scope, "LostExecutions", worker=recorder, parallel=MIN_PARALLEL, alarms=alarms
    )
    ended.fill_from(
        events.Rule(
            scope,
            "ExecutionUnsuccessful",
            description="An execution did not succeed, and perhaps left no record.",
            event_pattern=events.EventPattern(
                source=["aws.states"],
                detail_type=["Step Functions Execution Status Change"],
                detail={
                    "stateMachineArn": [machine.state_machine_arn],
                    "status": ["FAILED", "TIMED_OUT", "ABORTED"],
                },
            ),
        )
    )
