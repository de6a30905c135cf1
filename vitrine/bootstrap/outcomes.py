"""What the steps that record outcomes work with."""

import os
from functools import cache

from vitrine.adapters.aws.event_bus import EventBridgeBus
from vitrine.adapters.aws.identifier_table import DynamoIdentifierTable
from vitrine.adapters.aws.message_queue import SqsQueue
from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.adapters.aws.outcome_table import DynamoOutcomeTable
from vitrine.bootstrap.aws_access import environment_access
from vitrine.ingest.outcome_services import OutcomeServices
from vitrine.settings.ingest import IngestSettings


@cache
def outcome_services() -> OutcomeServices:
    """Return the services that the process's environment names."""
    settings = IngestSettings.from_environment(os.environ)
    access = environment_access()
    s3, dynamodb = access.client("s3"), access.client("dynamodb")
    return OutcomeServices(
        masters=S3ObjectStore(s3, settings.masters_bucket),
        access_masters=S3ObjectStore(s3, settings.access_masters_bucket),
        identifiers=DynamoIdentifierTable(dynamodb, settings.identifiers_table),
        outcomes=DynamoOutcomeTable(dynamodb, settings.outcomes_table),
        events=EventBridgeBus(access.client("events"), settings.event_bus),
        failures=SqsQueue(access.client("sqs"), settings.failures_queue_url),
    )
