"""What the pipeline's steps, the reconciler and a migration work with."""

import os
from functools import cache

from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.event_bus import EventBridgeBus
from vitrine.adapters.aws.foreign_objects import S3ForeignObjects
from vitrine.adapters.aws.map_runs import StepFunctionsMapRuns
from vitrine.adapters.aws.message_queue import SqsQueue
from vitrine.adapters.aws.outcome_table import DynamoOutcomeTable
from vitrine.adapters.aws.pipeline import StepFunctionsPipeline
from vitrine.bootstrap.places import (
    LOCAL,
    access_to,
    bucket,
    environment_access,
    identifiers,
    output,
)
from vitrine.identify.rules import IdentifierRule
from vitrine.ingest.inspect.limits import Limits
from vitrine.ingest.recipe import RECIPES
from vitrine.ingest.repair.reconciler import ReconcileServices
from vitrine.ingest.services import IngestServices
from vitrine.ingest.start.throttle import Pace
from vitrine.ingest.start.upload_hints import StarterServices
from vitrine.migrate.services import MigrationServices
from vitrine.settings import IngestSettings

MEGA = 1_000_000
MEBIBYTE = 1024 * 1024


@cache
def ingest_services(settings: IngestSettings | None = None) -> IngestServices:
    """What the pipeline's steps work with; settings from the process's environment unless given.

    Raises KeyError for an absent variable or an unknown recipe.
    """
    settings = settings or IngestSettings.from_environment(os.environ)
    return _ingest_services(settings, environment_access())


def _ingest_services(settings: IngestSettings, access: AwsAccess) -> IngestServices:
    return IngestServices(
        masters=bucket(access, settings.masters_bucket),
        access_masters=bucket(access, settings.access_masters_bucket),
        records=bucket(access, settings.records_bucket),
        identifiers=identifiers(access, settings.identifiers_table),
        outcomes=DynamoOutcomeTable(access.client("dynamodb"), settings.outcomes_table),
        events=EventBridgeBus(access.client("events"), settings.event_bus),
        failures=SqsQueue(access.client("sqs"), settings.failures_queue_url),
        pipeline=StepFunctionsPipeline(access.client("stepfunctions"), settings.state_machine_arn),
        withdrawals=StepFunctionsPipeline(
            access.client("stepfunctions"), settings.withdrawal_machine_arn
        ),
        withdrawal_grace_seconds=settings.withdrawal_grace_seconds,
        identifier_rule=IdentifierRule(settings.identifier_pattern),
        recipe=RECIPES[settings.recipe],
        limits=Limits(
            pixels=settings.maximum_megapixels * MEGA,
            bytes=settings.maximum_master_mebibytes * MEBIBYTE,
            pages=settings.maximum_pages,
            memory_bytes=settings.maximum_memory_mebibytes * MEBIBYTE,
            disk_bytes=settings.maximum_disk_mebibytes * MEBIBYTE,
            large_memory_bytes=settings.large_memory_mebibytes * MEBIBYTE,
            large_disk_bytes=settings.large_disk_mebibytes * MEBIBYTE,
            giants_at_once=settings.giants_at_once,
            giant_seconds=settings.giant_seconds,
            small_memory_bytes=settings.small_memory_mebibytes * MEBIBYTE,
            small_disk_bytes=settings.small_disk_mebibytes * MEBIBYTE,
        ),
    )


@cache
def starter_services() -> StarterServices:
    """What the starter works with; settings from the process's environment."""
    settings = IngestSettings.from_environment(os.environ)
    return _starter_services(settings, environment_access())


def _starter_services(settings: IngestSettings, access: AwsAccess) -> StarterServices:
    ingest = _ingest_services(settings, access)
    pace = Pace(
        ingest.pipeline, at_once=settings.executions_at_once, starters=settings.parallel_starts
    )
    uploads = SqsQueue(access.client("sqs"), settings.uploads_queue_url)
    return StarterServices(ingest=ingest, uploads=uploads, pace=pace)


@cache
def reconcile_services() -> ReconcileServices:
    """What the reconciler works with; settings from the process's environment."""
    return _reconcile_services(IngestSettings.from_environment(os.environ), environment_access())


def deployed_reconcile_services(environment: str = LOCAL) -> ReconcileServices:
    """The same outside of AWS, with the settings of the environment's own reconciler.

    Raises NotRunning, TransientError.
    """
    access, stage = access_to(environment)
    name = output(access, stage, "ingest", "ReconcileFunctionName")
    function = access.client("lambda").get_function_configuration(FunctionName=name)
    settings = IngestSettings.from_environment(function["Environment"]["Variables"])
    return _reconcile_services(settings, access)


def _reconcile_services(settings: IngestSettings, access: AwsAccess) -> ReconcileServices:
    return ReconcileServices(
        starter=_starter_services(settings, access),
        execution_timeout_seconds=settings.execution_timeout_seconds,
    )


def migration_services(environment: str = LOCAL) -> MigrationServices:
    """What `vitrine migrate` works with, with the settings of the environment's own function.

    Raises NotRunning, TransientError.
    """
    access, stage = access_to(environment)
    name = output(access, stage, "migrate", "MigrateFunctionName")
    function = access.client("lambda").get_function_configuration(FunctionName=name)
    settings = IngestSettings.from_environment(function["Environment"]["Variables"])
    machine = output(access, stage, "migrate", "MigrationMachineArn")
    return MigrationServices(
        ingest=_ingest_services(settings, access),
        masters_bucket=settings.masters_bucket,
        foreign=S3ForeignObjects(access.client("s3"), settings.masters_bucket),
        region=access.client("s3").meta.region_name,
        map_runs=None
        if environment == LOCAL
        else StepFunctionsMapRuns(access.client("stepfunctions"), machine),
    )
