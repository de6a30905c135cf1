"""The part of the present stack that keeps collections of others up to date."""

import aws_cdk as cdk
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_events as events
from constructs import Construct

from stacks.constructs import grants
from stacks.constructs.alarms import PERIOD, AlarmTopic, alarm_when_any
from stacks.constructs.clocked_start import start_by_clock, watch_starts
from stacks.constructs.lambda_layers import CollectionsLayer, PowertoolsLayer
from stacks.constructs.python_function import FunctionSize, PythonFunction, metrics_namespace
from stacks.environments import Environment
from stacks.identify import IdentifyStack
from stacks.store import StoreStack
from vitrine.settings.present import PublishSettings
from vitrine.store.layout import COLLECTION_RULES, HARVESTS, OBJECTS, TEXTS

UPDATER = "update_collections"
"""The step that imports what reads XML and asks servers of others; only its function has that
layer."""
ROUND = cdk.Duration.minutes(15)
"""Between two slices: the longest that a Lambda lives."""
ABSENT_HOURS = 2
SIZE = FunctionSize(memory_mebibytes=1_769, timeout_seconds=900, disk_mebibytes=4_096)
"""One vCPU; room for the manifests of 20,000 objects of 100 kB, and their archive."""
RUNBOOK = "collections-are-not-updated"


def update_collections(
    scope: Construct,
    *,
    environment: Environment,
    settings: PublishSettings,
    powertools: PowertoolsLayer,
    store: StoreStack,
    identify: IdentifyStack,
    bus: events.IEventBus,
    alarms: AlarmTopic,
) -> PythonFunction:
    """Make the Lambda, the schedule that starts it, and what rings when collections stay behind.

    It is in no network of ours, so it reaches the public internet and nothing private.
    """
    updater = PythonFunction(
        scope,
        UPDATER,
        environment=environment,
        settings=settings,
        layers=[
            powertools,
            CollectionsLayer(scope, "Collections", architecture=environment.architecture),
        ],
        size=SIZE,
    )
    _grant(updater, store, identify, bus)
    start_by_clock(
        scope,
        "UpdateSchedule",
        updater,
        ROUND,
        "Updates the collections of others whose time has come.",
    )
    _add_alarms(scope, environment, updater, alarms)
    return updater


def _grant(
    updater: PythonFunction, store: StoreStack, identify: IdentifyStack, bus: events.IEventBus
) -> None:
    """Let it write its own folders, objects, what is published of them, and which collection is in
    which: no master, and no record of an image.

    The images of what it updates stay where they are (`needs_folder`).
    """
    for keys in (HARVESTS, OBJECTS):
        grants.read_objects(store.records, updater, f"{keys}*")
        grants.write_objects(store.records, updater, f"{keys}*")
    grants.read_objects(store.records, updater, f"{TEXTS}*")
    # What is downloaded in parts is read by its version.
    grants.read_versions(store.records, updater, f"{HARVESTS}*")
    grants.write_statements(identify.catalogue, updater)
    grants.list_versions(store.records, updater)
    grants.write_publications(store.site, updater)
    grants.read_objects(store.records, updater, COLLECTION_RULES)
    grants.write_objects(store.records, updater, COLLECTION_RULES)
    grants.read_items(identify.identifiers, updater)
    grants.read_many_items(identify.identifiers, updater)
    grants.find_redirects(identify.identifiers, updater)
    grants.put_events(bus, updater)


def _add_alarms(
    scope: Construct, environment: Environment, updater: PythonFunction, alarms: AlarmTopic
) -> None:
    alarm_when_any(
        scope,
        "UpdatesFailedAlarm",
        metric=cloudwatch.Metric(
            namespace=metrics_namespace(environment),
            metric_name="UpdatesFailed",
            dimensions_map={"service": UPDATER},
            statistic="Sum",
            period=PERIOD,
        ),
        topic=alarms,
        sentence="A collection of others could not be updated: its server or its rules cannot be "
        "used. What is published stays; the next update tries again.",
        runbook=RUNBOOK,
    )
    watch_starts(
        scope,
        "Updater",
        updater,
        topic=alarms,
        does="updates collections of others",
        then="it begins again in a quarter of an hour.",
        absent_hours=ABSENT_HOURS,
        runbook=RUNBOOK,
    )
