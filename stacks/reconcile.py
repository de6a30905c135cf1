"""The part of the ingest stack that finds what events missed."""

import aws_cdk as cdk
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from stacks.constructs import grants
from stacks.constructs.alarms import (
    PERIOD,
    AlarmTopic,
    alarm_when_any,
    alarm_when_none,
    describe_alarm,
)
from stacks.constructs.ingest_machine import IngestMachine
from stacks.constructs.python_function import PythonFunction
from stacks.constructs.reconcile_machine import ReconcileMachine
from stacks.constructs.service_roles import service_role
from stacks.constructs.withdrawal_machine import WithdrawalMachine
from stacks.environments import Environment
from stacks.identify import IdentifyStack
from stacks.store import StoreStack

PATROL = cdk.Duration.minutes(5)
"""Between two patrols of the reconciler."""
MAX_UNREAD_LENGTH = cdk.Duration.hours(3)
"""Longer than notifications wait while converters catch up with a large batch of uploads."""


def make_reconcile_machine(
    scope: Construct,
    *,
    environment: Environment,
    reconcile: PythonFunction,
    notifications: sqs.IQueue,
    missed: sqs.IQueue,
    alarms: AlarmTopic,
) -> ReconcileMachine:
    """Make the machine and its schedules; if AWS loses a start, the next one makes up for it.

    `notifications` is what the patrols empty. `missed` takes the starts that EventBridge gave up,
    with the reason.
    """
    machine = ReconcileMachine(
        scope, "ReconcileMachine", environment=environment, reconcile=reconcile
    )
    rule = events.Rule(
        scope,
        "ReconcileSchedule",
        description="Compares masters with outcomes, and access masters with identifiers.",
        schedule=events.Schedule.rate(cdk.Duration.hours(environment.reconcile_hours)),
    )
    rule.add_target(
        targets.SfnStateMachine(
            machine,
            input=events.RuleTargetInput.from_object({}),
            role=service_role(scope, "ReconcileMachineEventsRole", "events"),
            dead_letter_queue=missed,
            max_event_age=cdk.Duration.hours(1),
        )
    )
    patrol = events.Rule(
        scope,
        "PatrolSchedule",
        description="Starts masters again whose execution was lost, or that no event reported.",
        schedule=events.Schedule.rate(PATROL),
    )
    patrol.add_target(
        targets.LambdaFunction(
            reconcile,
            event=events.RuleTargetInput.from_object({"patrol": True}),
            dead_letter_queue=missed,
            max_event_age=cdk.Duration.minutes(5),
            retry_attempts=0,
        )
    )
    _add_alarms(scope, machine, missed, hours=environment.reconcile_hours + 1, alarms=alarms)
    _add_notifications_alarm(scope, notifications, alarms)
    return machine


def _add_alarms(
    scope: Construct,
    machine: ReconcileMachine,
    missed: sqs.IQueue,
    *,
    hours: int,
    alarms: AlarmTopic,
) -> None:
    alarm_when_any(
        scope,
        "ReconcilerAlarm",
        metric=machine.metric_failed(period=PERIOD),
        topic=alarms,
        sentence="The reconciler did not finish; its next run starts from the beginning.",
        runbook="ingests-fail",
    )
    alarm_when_any(
        scope,
        "MissedReconciliationsAlarm",
        metric=missed.metric_approximate_number_of_messages_visible(period=PERIOD),
        topic=alarms,
        sentence="EventBridge could not start the reconciler; attributes of the messages in the "
        "queue say why. The next run makes up for them: delete them.",
        runbook="the-reconciler-does-not-run",
    )
    alarm_when_none(
        scope,
        "ReconcilerAbsentAlarm",
        metric=machine.metric_started(period=cdk.Duration.hours(1)),
        hours=hours,
        topic=alarms,
        sentence=f"No run of the reconciler began in {hours} hours. A new environment is in this "
        "state until its first run.",
        runbook="the-reconciler-does-not-run",
    )


def _add_notifications_alarm(
    scope: Construct, notifications: sqs.IQueue, alarms: AlarmTopic
) -> None:
    alarm = cloudwatch.Alarm(
        scope,
        "UnreadNotificationsAlarm",
        metric=notifications.metric_approximate_age_of_oldest_message(period=PERIOD),
        threshold=MAX_UNREAD_LENGTH.to_seconds(),
        evaluation_periods=1,
        comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,
        treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
        alarm_description=describe_alarm(
            "No patrol of the reconciler read what S3 reports about masters for hours: an upload "
            "whose event was lost stays unnoticed until the next walk.",
            "the-reconciler-does-not-run",
        ),
    )
    alarm.add_alarm_action(actions.SnsAction(alarms))


def grant_reconciler(
    reconciler: PythonFunction,
    *,
    store: StoreStack,
    identify: IdentifyStack,
    ingest: IngestMachine,
    withdrawals: WithdrawalMachine,
    bus: events.IEventBus,
) -> None:
    """Let the reconciler list the buckets, read tables and notifications, tag and start.

    It deletes and publishes nothing; in the table of identifiers it writes the canary alone.
    """
    grants.read_objects(store.masters, reconciler)
    grants.list_versions(store.masters, reconciler)
    grants.list_versions(store.access_masters, reconciler)
    grants.list_versions(store.records, reconciler)
    grants.tag_objects(store.access_masters, reconciler)
    grants.read_items(identify.identifiers, reconciler)
    grants.read_many_items(identify.identifiers, reconciler)
    grants.plant_canary(identify.identifiers, reconciler)
    grants.read_many_items(identify.outcomes, reconciler)
    grants.write_items(identify.outcomes, reconciler)
    grants.take_messages(store.notifications, reconciler)
    grants.put_events(bus, reconciler)
    grants.query_index(identify.outcomes, "by-state", reconciler)
    grants.list_executions(ingest, reconciler)
    grants.describe_executions(ingest, reconciler)
    ingest.grant_start_execution(reconciler)
    withdrawals.grant_start_execution(reconciler)
