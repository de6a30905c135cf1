"""Starts of a Lambda by the clock, and what rings when they fail or do not come."""

import aws_cdk as cdk
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_scheduler as scheduler
from aws_cdk import aws_scheduler_targets as targets
from constructs import Construct

from stacks.constructs.alarms import PERIOD, AlarmTopic, alarm_when_any, alarm_when_none


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


def watch_starts(
    scope: Construct,
    name: str,
    function: lambda_.IFunction,
    *,
    topic: AlarmTopic,
    does: str,
    then: str,
    absent_hours: int,
    runbook: str,
) -> None:
    """Ring when a start of the function fails, and when none came for a number of hours.

    `does` says what it does, as in "The Lambda that ...", and `then` what follows a failure.
    """
    alarm_when_any(
        scope,
        f"{name}ErrorsAlarm",
        metric=function.metric_errors(period=PERIOD),
        topic=topic,
        sentence=f"The Lambda that {does} failed or was out of time; {then}",
        runbook=runbook,
    )
    alarm_when_none(
        scope,
        f"{name}AbsentAlarm",
        metric=function.metric_invocations(period=cdk.Duration.hours(1)),
        hours=absent_hours,
        topic=topic,
        sentence=f"The Lambda that {does} did not run in {absent_hours} hours. "
        "A new environment is in this state until its first run.",
        runbook=runbook,
    )
