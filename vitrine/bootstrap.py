"""The one place that chooses concrete adapters. Nothing happens at import."""

import os
from dataclasses import dataclass, replace
from functools import cache

from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.edge_cache import CloudFrontEdgeCache
from vitrine.adapters.aws.event_bus import EventBridgeBus
from vitrine.adapters.aws.foreign_objects import S3ForeignObjects
from vitrine.adapters.aws.identifier_table import DynamoIdentifierTable
from vitrine.adapters.aws.map_runs import StepFunctionsMapRuns
from vitrine.adapters.aws.message_queue import SqsQueue
from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.adapters.aws.outcome_table import DynamoOutcomeTable
from vitrine.adapters.aws.pipeline import StepFunctionsPipeline
from vitrine.adapters.aws.stack_outputs import stack_outputs
from vitrine.errors import VitrineError
from vitrine.identify.journal import Journal
from vitrine.identify.register import Register
from vitrine.identify.rules import IdentifierRule
from vitrine.ingest.hints import StarterServices
from vitrine.ingest.limits import Limits
from vitrine.ingest.pace import Pace
from vitrine.ingest.recipe import RECIPES
from vitrine.ingest.reconcile import ReconcileServices
from vitrine.ingest.services import IngestServices
from vitrine.invalidate.changes import InvalidateServices
from vitrine.local.edge.purge import NginxEdgeCache
from vitrine.local.state import DIRECTORY_VARIABLE, LocalService, local_directory
from vitrine.migrate.services import MigrationServices
from vitrine.ports import (
    EdgeCache,
    EventBus,
    IdentifierTable,
    MessageQueue,
    ObjectStore,
    OutcomeTable,
    VersionedStore,
)
from vitrine.present.gallery import GalleryServices
from vitrine.settings import DeliverSettings, IngestSettings, InvalidateSettings, PresentSettings

LOCAL = "local"
"""The environment that runs on this machine."""

MEGA = 1_000_000
MEBIBYTE = 1024 * 1024


class NotRunning(VitrineError):
    """The environment is not there: never started here, or not deployed."""


def access_master_store(
    settings: DeliverSettings | IngestSettings, access: AwsAccess | None = None
) -> ObjectStore:
    """The bucket of access masters.

    The gateway's block cache tries again itself, so that a stalled read never holds up a viewer.
    """
    if access is None:
        access = environment_access()
        if isinstance(settings, DeliverSettings):
            access = replace(access, read_seconds=5, attempts=1)
    return _bucket(access, settings.access_masters_bucket)


def identifier_table(
    settings: DeliverSettings | IngestSettings | PresentSettings, access: AwsAccess | None = None
) -> IdentifierTable:
    """The identifiers table; while it stalls, the gateway answers from what it remembers."""
    if access is None:
        access = environment_access()
        if isinstance(settings, DeliverSettings):
            access = replace(access, read_seconds=2, attempts=2)
    return _identifiers(access, settings.identifiers_table)


@cache
def ingest_services(settings: IngestSettings | None = None) -> IngestServices:
    """What the pipeline's steps work with; settings from the process's environment unless given.

    Raises KeyError for an absent variable or an unknown recipe.
    """
    settings = settings or IngestSettings.from_environment(os.environ)
    return _ingest_services(settings, environment_access())


def _ingest_services(settings: IngestSettings, access: AwsAccess) -> IngestServices:
    return IngestServices(
        masters=_bucket(access, settings.masters_bucket),
        access_masters=_bucket(access, settings.access_masters_bucket),
        records=_bucket(access, settings.records_bucket),
        identifiers=identifier_table(settings, access),
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
    access, stage = _access_to(environment)
    name = _output(access, stage, "ingest", "ReconcileFunctionName")
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
    access, stage = _access_to(environment)
    name = _output(access, stage, "migrate", "MigrateFunctionName")
    function = access.client("lambda").get_function_configuration(FunctionName=name)
    settings = IngestSettings.from_environment(function["Environment"]["Variables"])
    machine = _output(access, stage, "migrate", "MigrationMachineArn")
    return MigrationServices(
        ingest=_ingest_services(settings, access),
        masters_bucket=settings.masters_bucket,
        foreign=S3ForeignObjects(access.client("s3"), settings.masters_bucket),
        region=access.client("s3").meta.region_name,
        map_runs=None
        if environment == LOCAL
        else StepFunctionsMapRuns(access.client("stepfunctions"), machine),
    )


@cache
def gallery_services(settings: PresentSettings | None = None) -> GalleryServices:
    """What updating the gallery works with; settings from the process's environment."""
    settings = settings or PresentSettings.from_environment(os.environ)
    access = environment_access()
    return GalleryServices(
        site=_bucket(access, settings.site_bucket),
        identifiers=identifier_table(settings, access),
        length=settings.gallery_length,
    )


@cache
def invalidate_services() -> InvalidateServices:
    """What invalidating works with; settings from the process's environment.

    On one machine the emulator tells its Lambdas where the edge lives.
    """
    if os.environ.get(DIRECTORY_VARIABLE):
        return InvalidateServices(edge=_local_edge())
    settings = InvalidateSettings.from_environment(os.environ)
    return InvalidateServices(edge=_edge(environment_access(), settings.distribution_id))


def deployed_invalidate_services(environment: str = LOCAL) -> InvalidateServices:
    """The same for the edge of an environment. Raises NotRunning, TransientError."""
    access, stage = _access_to(environment)
    if environment == LOCAL:
        return InvalidateServices(edge=_local_edge())
    return InvalidateServices(edge=_edge(access, _output(access, stage, "edge", "DistributionId")))


def _local_edge() -> EdgeCache:
    return NginxEdgeCache(local_directory() / "edge")


def _edge(access: AwsAccess, distribution_id: str) -> EdgeCache:
    # Who invalidates waits and tries again itself, for longer than a client would.
    return CloudFrontEdgeCache(replace(access, attempts=2).client("cloudfront"), distribution_id)


@dataclass(frozen=True, kw_only=True)
class Deployment:
    """A deployed environment, as the command line sees it. URLs have no trailing slash."""

    environment: str
    edge_url: str
    origin_url: str
    """Empty where the origin cannot be reached from here."""
    masters: VersionedStore
    site: ObjectStore
    records: VersionedStore
    """The journal of identifiers, and what was told of the images."""
    identifiers: IdentifierTable
    events: EventBus
    outcomes: OutcomeTable
    uploads: MessageQueue
    """Uploads that wait to be started."""
    failures: MessageQueue
    """Inputs of failed executions."""
    dead_letters: MessageQueue
    """Events about uploads that the starter could not use."""

    @property
    def register(self) -> Register:
        """Where identifiers are changed."""
        return Register(self.identifiers, Journal(self.records), self.events)


def deployment(environment: str = LOCAL) -> Deployment:
    """Find the environment by its stacks' outputs.

    `local` is the service on this machine; any other is looked for with the normal AWS
    credentials. Raises NotRunning, TransientError.
    """
    access, stage = _access_to(environment)
    if environment == LOCAL:
        service = _local_service()
        return _deployment(access, LOCAL, stage, service.edge_url, service.origin_url)
    domain = _output(access, stage, "edge", "DistributionDomainName")
    return _deployment(access, environment, stage, f"https://{domain}", "")


def _access_to(environment: str) -> tuple[AwsAccess, str]:
    """Where the environment is, and the name in its stacks' names. Raises NotRunning."""
    if environment != LOCAL:
        return environment_access(), environment
    service = _local_service()
    access = AwsAccess(service.emulator_url, service.region, dummy_credentials=True)
    return access, service.stage


def _local_service() -> LocalService:
    service = LocalService.load()
    if service is None:
        raise NotRunning("The service has not been started on this machine; run `make up` first.")
    return service


def environment_access() -> AwsAccess:
    """AWS as the process's environment describes it: AWS_ENDPOINT_URL, credentials, region."""
    return AwsAccess(endpoint_url=os.environ.get("AWS_ENDPOINT_URL") or None)


def _deployment(
    access: AwsAccess, environment: str, stage: str, edge_url: str, origin_url: str
) -> Deployment:
    dynamodb = access.client("dynamodb")
    tables = [
        _output(access, stage, "identify", name)
        for name in ("IdentifiersTableName", "OutcomesTableName")
    ]
    queues = [
        SqsQueue(access.client("sqs"), _output(access, stage, "ingest", name))
        for name in ("IngestQueueUrl", "FailuresQueueUrl", "DeadLettersQueueUrl")
    ]
    return Deployment(
        environment=environment,
        uploads=queues[0],
        failures=queues[1],
        dead_letters=queues[2],
        edge_url=edge_url,
        origin_url=origin_url,
        masters=_bucket(access, _output(access, stage, "store", "MastersBucketName")),
        site=_bucket(access, _output(access, stage, "store", "SiteBucketName")),
        records=_bucket(access, _output(access, stage, "store", "RecordsBucketName")),
        identifiers=DynamoIdentifierTable(dynamodb, tables[0]),
        events=EventBridgeBus(
            access.client("events"), _output(access, stage, "ingest", "EventBusName")
        ),
        outcomes=DynamoOutcomeTable(dynamodb, tables[1]),
    )


@cache
def _outputs(access: AwsAccess, stack: str) -> dict[str, str]:
    return stack_outputs(access.client("cloudformation"), stack)


def _output(access: AwsAccess, stage: str, stack: str, name: str) -> str:
    full_name = f"vitrine-{stage}-{stack}"
    try:
        return _outputs(access, full_name)[name]
    except KeyError:
        raise NotRunning(f"The stack {full_name} is not deployed, or has no {name}.") from None


def _bucket(access: AwsAccess, bucket: str) -> VersionedStore:
    return S3ObjectStore(access.client("s3"), bucket)


def _identifiers(access: AwsAccess, table: str) -> IdentifierTable:
    return DynamoIdentifierTable(access.client("dynamodb"), table)
