"""What the gateway reads: access masters and identifiers."""

from dataclasses import replace

from vitrine.adapters.aws.identifier_table import DynamoIdentifierTable
from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.bootstrap.aws_access import environment_access
from vitrine.ports import IdentifierTable, ObjectStore
from vitrine.settings import DeliverSettings


def access_master_store(settings: DeliverSettings) -> ObjectStore:
    """Return the bucket of access masters.

    The gateway's block cache retries by itself, so that a stalled read never holds up a viewer.
    """
    access = replace(environment_access(), read_seconds=5, attempts=1)
    return S3ObjectStore(access.client("s3"), settings.access_masters_bucket)


def identifier_table(settings: DeliverSettings) -> IdentifierTable:
    """Return the table of identifiers; while it stalls, the gateway answers from its memory."""
    access = replace(environment_access(), read_seconds=2, attempts=2)
    return DynamoIdentifierTable(access.client("dynamodb"), settings.identifiers_table)
