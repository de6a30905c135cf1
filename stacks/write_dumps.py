"""The part of the present stack that keeps the dumps and sitemaps up to date."""

import aws_cdk as cdk
from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

from stacks.constructs import grants
from stacks.constructs.alarms import AlarmTopic, alarm_when_any
from stacks.constructs.clocked_start import start_by_clock, watch_starts
from stacks.constructs.lambda_layers import DocumentsLayer, PowertoolsLayer
from stacks.constructs.python_function import FunctionSize, PythonFunction, metrics_namespace
from stacks.environments import Environment
from stacks.store import StoreStack
from vitrine.settings.present import SiteSettings
from vitrine.site.dumps.files import DATA, OBJECTS_JSONL, SITEMAP, SITEMAPS
from vitrine.store.layout import PUBLICATIONS
from vitrine.store.site_layout import OMISSIONS

DUMPER = "write_dumps"
"""A step that imports what reads documents."""
ROUND = cdk.Duration.hours(1)
"""Time for which a change may be missing in the dumps: each look lists everything that is
published."""
ABSENT_HOURS = 3
SIZE = FunctionSize(memory_mebibytes=1_769, timeout_seconds=900)
"""One vCPU. The disk holds the last dumps and the next."""
RUNBOOK = "dumps-are-old"


def write_dumps(
    scope: Construct,
    *,
    environment: Environment,
    settings: SiteSettings,
    powertools: PowertoolsLayer,
    documents: DocumentsLayer,
    store: StoreStack,
    alarms: AlarmTopic,
) -> PythonFunction:
    """Make the Lambda, the schedule that starts it, and what rings when dumps stay behind."""
    dumper = PythonFunction(
        scope,
        DUMPER,
        environment=environment,
        settings=settings,
        layers=[powertools, documents],
        size=SIZE,
    )
    grants.list_versions(store.site, dumper)
    grants.read_objects(store.site, dumper, f"{PUBLICATIONS}*")
    # What is downloaded in parts is read by its version.
    grants.read_versions(store.site, dumper, OBJECTS_JSONL)
    for keys in (f"{DATA}*", SITEMAP, f"{SITEMAPS}*", f"{OMISSIONS}*"):
        # What was uploaded is looked at, and so is what other parts leave out.
        grants.read_objects(store.site, dumper, keys)
        grants.write_objects(store.site, dumper, keys)
    start_by_clock(
        scope,
        "DumpSchedule",
        dumper,
        ROUND,
        "Writes dumps and sitemaps of what is published, if it changed.",
    )
    watch_starts(
        scope,
        "Dumper",
        dumper,
        topic=alarms,
        does="writes dumps and sitemaps",
        then="it begins again within the hour, and the last ones stay.",
        absent_hours=ABSENT_HOURS,
        runbook=RUNBOOK,
    )
    alarm_when_any(
        scope,
        "ObjectsLeftOutAlarm",
        metric=cloudwatch.Metric(
            namespace=metrics_namespace(environment),
            metric_name="ObjectsLeftOut",
            dimensions_map={"service": DUMPER},
            statistic="Maximum",
            # It is counted once in each round: a longer period has no gap.
            period=cdk.Duration.hours(2),
        ),
        topic=alarms,
        sentence="Objects are left out of what is published, of lists or of searches, since "
        "something in their own data cannot be used. All others are served.",
        runbook="objects-are-left-out",
    )
    return dumper
