"""The part of the present stack that reads pages by OCR, where an environment asks for it."""

from dataclasses import asdict

import aws_cdk as cdk
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_events as events
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from stacks.constructs import grants
from stacks.constructs.alarms import AlarmTopic, alarm_when_any
from stacks.constructs.ocr_function import STEP, OcrFunction
from stacks.constructs.python_function import metrics_namespace
from stacks.constructs.work_queue import Batching, WorkQueue
from stacks.environments import Environment
from stacks.identify import IdentifyStack
from stacks.store import StoreStack
from vitrine.events import TextsRead, TextsRequested
from vitrine.settings.present import OcrOptions, OcrSettings
from vitrine.store.layout import COLLECTION_RULES, OBJECTS, OCR_TEXTS, READINGS

ONE_OBJECT = Batching(messages=1, delay_seconds=5, apart_seconds=1_080)
"""Its pages take all the time that the Lambda has. What was begun before stays. When the message
of a Lambda that died comes back, its claim is over (`vitrine.text.ocr_results.stored.CLAIMED`)."""

MIN_FAILED = 5
"""Failures in an hour in which no page could be read; fewer are those of one odd object."""

MAX_WAIT = cdk.Duration.hours(4)
"""For anything to be read. Twelve tries, 18 minutes apart, take 3.6 hours: what fails is among the
dead letters by then, and has their alarm."""
MAX_BACKLOG = cdk.Duration.days(10)
"""For one object, however much is read: four days later SQS drops its message."""


def read_pages(
    scope: Construct,
    *,
    environment: Environment,
    options: OcrOptions,
    store: StoreStack,
    identify: IdentifyStack,
    bus: events.IEventBus,
    alarms: AlarmTopic,
    shown: WorkQueue,
) -> OcrFunction:
    """Make the Lambda, and the queue by which it hears of pages without a text.

    What it has read is published by the worker of `shown`.
    """
    reader = OcrFunction(
        scope,
        environment=environment,
        settings=OcrSettings(
            records_bucket=store.records.bucket_name,
            access_masters_bucket=store.access_masters.bucket_name,
            identifiers_table=identify.identifiers.table_name,
            event_bus=environment.event_bus,
            **asdict(options),
        ),
    )
    for keys in (OBJECTS, OCR_TEXTS, READINGS):
        grants.read_objects(store.records, reader, f"{keys}*")
    grants.list_versions(store.records, reader)
    grants.read_objects(store.records, reader, COLLECTION_RULES)
    for keys in (OCR_TEXTS, READINGS):
        grants.write_objects(store.records, reader, f"{keys}*")
    grants.read_objects(store.access_masters, reader)
    grants.read_versions(store.access_masters, reader)
    grants.read_many_items(identify.identifiers, reader)
    grants.put_events(bus, reader)
    unread = WorkQueue(
        scope,
        "Unread",
        worker=reader,
        parallel=options.at_once,
        alarms=alarms,
        batching=ONE_OBJECT,
    )
    unread.receive(
        "TextsRequested",
        TextsRequested.name(),
        bus=bus,
        description="Pages of an object have no text, and are to be read by OCR.",
    )
    shown.receive(
        "TextsRead",
        TextsRead.name(),
        bus=bus,
        description="Pages of an object were read by OCR.",
    )
    _watch_pages(scope, environment, alarms)
    _watch_queue(scope, unread.queue, alarms)
    return reader


def _watch_queue(scope: Construct, queue: sqs.IQueue, alarms: AlarmTopic) -> None:
    """Ring if objects wait and none is done, or if one waits for so long that it may be dropped.

    That many wait is no fault: 100,000 pages take four Lambdas a day or more.
    """
    hour = cdk.Duration.hours(1)
    stuck, late = MAX_WAIT.to_seconds(), MAX_BACKLOG.to_seconds()
    alarm_when_any(
        scope,
        "PagesWaitAlarm",
        metric=cloudwatch.MathExpression(
            expression=f"IF(age > {late} OR (age > {stuck} AND FILL(done, 0) == 0), age, 0)",
            using_metrics={
                "age": queue.metric_approximate_age_of_oldest_message(period=hour),
                "done": queue.metric_number_of_messages_deleted(period=hour),
            },
            period=hour,
            label="seconds for which the oldest object waits to be read",
        ),
        topic=alarms,
        sentence="Objects wait to be read by OCR for hours and none is read, or one for ten days.",
        runbook="pages-wait",
    )


def _watch_pages(scope: Construct, environment: Environment, alarms: AlarmTopic) -> None:
    hour = cdk.Duration.hours(1)
    counts: dict[str, cloudwatch.IMetric] = {
        state: cloudwatch.Metric(
            namespace=metrics_namespace(environment),
            metric_name=f"Pages{state.capitalize()}",
            dimensions_map={"service": STEP},
            statistic="Sum",
            period=hour,
        )
        for state in ("read", "empty", "failed")
    }
    alarm_when_any(
        scope,
        "PagesUnreadableAlarm",
        metric=cloudwatch.MathExpression(
            expression="IF(FILL(read, 0) + FILL(empty, 0) > 0, 0, "
            f"IF(FILL(failed, 0) >= {MIN_FAILED}, FILL(failed, 0), 0))",
            using_metrics=counts,
            period=hour,
            label="pages that could not be read, while no other could",
        ),
        topic=alarms,
        sentence="For an hour, OCR could read none of the pages that it was given.",
        runbook="pages-cannot-be-read",
    )
