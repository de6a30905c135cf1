"""A deployed environment, as the command line sees it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.event_bus import EventBridgeBus
from vitrine.adapters.aws.identifier_table import DynamoIdentifierTable
from vitrine.adapters.aws.message_queue import SqsQueue
from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.adapters.aws.outcome_table import DynamoOutcomeTable
from vitrine.adapters.aws.pipeline import StepFunctionsPipeline
from vitrine.bootstrap.edge_keys import edge_keys
from vitrine.bootstrap.environments import (
    LOCAL,
    access_to,
    forget_outputs,
    output,
    outputs,
    place_of,
)
from vitrine.bootstrap.local_service import local_service
from vitrine.identify.journal import Journal
from vitrine.identify.register import Register
from vitrine.identify.shown_identifiers import ShownIdentifiers
from vitrine.ingest.repair.dead_letters import Worker
from vitrine.ports import (
    EdgeKeys,
    EventBus,
    IdentifierTable,
    MessageQueue,
    OutcomeTable,
    Pipeline,
    VersionedStore,
)
from vitrine.store.collection_rules import HeldRules

STACKS_OF_WORKERS = ("ingest", "edge", "present")
DEAD_LETTERS = "DeadLettersUrl"


@dataclass(frozen=True, kw_only=True)
class Deployment:
    """A deployed environment, as the command line sees it. URLs have no trailing slash."""

    environment: str
    edge_url: str
    origin_url: str
    """Empty where the origin cannot be reached from here."""
    masters: VersionedStore
    site: VersionedStore
    records: VersionedStore
    """The journal of identifiers, and the records of conversions and migrations."""
    identifiers: IdentifierTable
    edge_keys: EdgeKeys
    """Keys of tickets as the edge has them."""
    events: EventBus
    outcomes: OutcomeTable
    pipeline: Pipeline
    uploads: MessageQueue
    """Uploads that wait to be started."""
    failures: MessageQueue
    """Inputs of failed executions."""
    dead_letters: MessageQueue
    """Events about uploads that the starter could not use."""
    workers: tuple[Worker, ...] = ()
    """All other Lambdas that have a queue."""

    @cached_property
    def rules(self) -> HeldRules:
        """The table of collections' rules."""
        return HeldRules(self.records)

    @cached_property
    def shown(self) -> ShownIdentifiers:
        """The identifiers as their images are shown."""
        return ShownIdentifiers(self.identifiers, self.rules)

    @property
    def register(self) -> Register:
        """Where identifiers are changed."""
        return Register(self.identifiers, Journal(self.records), self.events)


def deployment(environment: str = LOCAL) -> Deployment:
    """Find an environment by its stacks' outputs.

    `local` is the service on this machine; any other is looked up with the normal AWS
    credentials, in the region that `environments.toml` gives it. Raises NotRunning,
    TransientError.
    """
    forget_outputs()
    access, stage = access_to(environment)
    if environment == LOCAL:
        service = local_service()
        return _wire_deployment(access, LOCAL, stage, service.edge_url, service.origin_url)
    domain = place_of(environment).domain_name
    domain = domain or output(access, stage, "edge", "DistributionDomainName")
    return _wire_deployment(access, environment, stage, f"https://{domain}", "")


def _wire_deployment(
    access: AwsAccess, environment: str, stage: str, edge_url: str, origin_url: str
) -> Deployment:
    s3, dynamodb = access.client("s3"), access.client("dynamodb")
    masters, site, records = [
        output(access, stage, "store", name)
        for name in ("MastersBucketName", "SiteBucketName", "RecordsBucketName")
    ]
    tables = [
        output(access, stage, "identify", name)
        for name in ("IdentifiersTableName", "OutcomesTableName")
    ]
    queues = [
        SqsQueue(access.client("sqs"), output(access, stage, "ingest", name))
        for name in ("StartIngestQueueUrl", "FailuresQueueUrl", "StartIngestDeadLettersUrl")
    ]
    return Deployment(
        environment=environment,
        pipeline=StepFunctionsPipeline(
            access.client("stepfunctions"), output(access, stage, "ingest", "StateMachineArn")
        ),
        uploads=queues[0],
        failures=queues[1],
        dead_letters=queues[2],
        workers=tuple(_list_workers(access, stage)),
        edge_url=edge_url,
        origin_url=origin_url,
        masters=S3ObjectStore(s3, masters),
        site=S3ObjectStore(s3, site),
        records=S3ObjectStore(s3, records),
        identifiers=DynamoIdentifierTable(dynamodb, tables[0]),
        edge_keys=edge_keys(
            access,
            output(access, stage, "edge", "TicketStoreArn"),
            on_this_machine=environment == LOCAL,
        ),
        events=EventBridgeBus(
            access.client("events"), output(access, stage, "ingest", "EventBusName")
        ),
        outcomes=DynamoOutcomeTable(dynamodb, tables[1]),
    )


def _list_workers(access: AwsAccess, stage: str) -> Iterator[Worker]:
    """Yield the workers by the outputs of their queues (`stacks/constructs/work_queue.py`)."""
    sqs = access.client("sqs")
    for stack in STACKS_OF_WORKERS:
        urls = outputs(access, stage, stack)
        names = [key.removesuffix(DEAD_LETTERS) for key in urls if key.endswith(DEAD_LETTERS)]
        for name in sorted(set(names) - {"StartIngest"}):
            yield Worker(
                name=name,
                queue=SqsQueue(sqs, urls[f"{name}QueueUrl"]),
                dead_letters=SqsQueue(sqs, urls[f"{name}{DEAD_LETTERS}"]),
            )
