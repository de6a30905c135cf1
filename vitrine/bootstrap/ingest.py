"""What the steps of the pipeline work with."""

import os
from functools import cache

from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.event_bus import EventBridgeBus
from vitrine.adapters.aws.identifier_table import DynamoIdentifierTable
from vitrine.adapters.aws.message_queue import SqsQueue
from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.adapters.aws.outcome_table import DynamoOutcomeTable
from vitrine.adapters.aws.pipeline import StepFunctionsPipeline
from vitrine.bootstrap.aws_access import environment_access
from vitrine.costs.kept_objects import ACCESS_MASTERS_CLASS
from vitrine.identify.identifier_rule import IdentifierRule
from vitrine.ingest.inspect.limits import MasterLimits
from vitrine.ingest.recipe import RECIPES
from vitrine.ingest.services import IngestServices
from vitrine.settings.ingest import IngestSettings

MEGA = 1_000_000
MEBIBYTE = 1024 * 1024


@cache
def ingest_services() -> IngestServices:
    """Return the services that the process's environment names.

    Raises KeyError for an absent variable or an unknown recipe.
    """
    settings = IngestSettings.from_environment(os.environ)
    return wire_ingest_services(settings, environment_access())


def wire_ingest_services(settings: IngestSettings, access: AwsAccess) -> IngestServices:
    """Return the services of these settings. Raises KeyError for an unknown recipe."""
    s3, dynamodb = access.client("s3"), access.client("dynamodb")
    machines = access.client("stepfunctions")
    return IngestServices(
        masters=S3ObjectStore(s3, settings.masters_bucket),
        access_masters=S3ObjectStore(
            s3, settings.access_masters_bucket, storage_class=ACCESS_MASTERS_CLASS
        ),
        records=S3ObjectStore(s3, settings.records_bucket),
        identifiers=DynamoIdentifierTable(dynamodb, settings.identifiers_table),
        outcomes=DynamoOutcomeTable(dynamodb, settings.outcomes_table),
        events=EventBridgeBus(access.client("events"), settings.event_bus),
        failures=SqsQueue(access.client("sqs"), settings.failures_queue_url),
        pipeline=StepFunctionsPipeline(machines, settings.state_machine_arn),
        withdrawals=StepFunctionsPipeline(machines, settings.withdrawal_machine_arn),
        withdrawal_grace_seconds=settings.withdrawal_grace_seconds,
        switch_seconds=settings.switch_seconds,
        identifier_rule=IdentifierRule(settings.identifier_pattern),
        recipe=RECIPES[settings.recipe],
        limits=ingest_limits(settings),
    )


def ingest_limits(settings: IngestSettings) -> MasterLimits:
    """Return what may be spent on one master, in pixels, bytes and seconds."""
    return MasterLimits(
        pixels=settings.maximum_megapixels * MEGA,
        bytes=settings.maximum_master_mebibytes * MEBIBYTE,
        pages=settings.maximum_pages,
        memory_bytes=settings.maximum_memory_mebibytes * MEBIBYTE,
        disk_bytes=settings.maximum_disk_mebibytes * MEBIBYTE,
        converter_memory_bytes=settings.converter_memory_mebibytes * MEBIBYTE,
        converter_disk_bytes=settings.converter_disk_mebibytes * MEBIBYTE,
        giants_at_once=settings.giants_at_once,
        giant_seconds=settings.giant_seconds,
    )
