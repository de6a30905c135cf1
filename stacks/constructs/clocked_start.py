"""Starts of a Lambda by the clock."""

import aws_cdk as cdk
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_scheduler as scheduler
from aws_cdk import aws_scheduler_targets as targets
from constructs import Construct


def start_by_clock(
    scope: Construct, id_: str, function: lambda_.IFunction, every: cdk.Duration, description: str
) -> None:
    """Have EventBridge Scheduler start a function that makes up by itself for a start it lost."""
    scheduler.Schedule(
        scope,
        id_,
        description=description,
        schedule=scheduler.ScheduleExpression.rate(every),
        target=targets.LambdaInvoke(
            function,
            input=scheduler.ScheduleTargetInput.from_object({}),
            retry_attempts=0,
            max_event_age=cdk.Duration.minutes(5),
        ),
    )
