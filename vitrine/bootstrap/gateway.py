"""What the gateway reads: buckets, identifiers, and the CPU of the programs next to it."""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from vitrine.adapters.aws.identifier_table import DynamoIdentifierTable
from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.adapters.aws.task_stats import VARIABLE, read_container_cpu
from vitrine.adapters.aws.tracing import send_traces
from vitrine.bootstrap.aws_access import environment_access
from vitrine.deliver.metrics.program_cpu import read_programs
from vitrine.ports import IdentifierTable, ObjectStore, RangedStore
from vitrine.settings.deliver import DeliverSettings


def access_master_store(settings: DeliverSettings) -> RangedStore:
    """Return the bucket of access masters.

    The gateway's block cache retries by itself, so that a stalled read never holds up a viewer.
    """
    access = replace(environment_access(), read_seconds=5, attempts=1)
    client = access.client("s3")
    send_traces(client)
    return S3ObjectStore(client, settings.access_masters_bucket)


def site_store(settings: DeliverSettings) -> ObjectStore:
    """Return the bucket with what is published of objects and collections."""
    access = replace(environment_access(), read_seconds=5, attempts=2)
    client = access.client("s3")
    send_traces(client)
    return S3ObjectStore(client, settings.site_bucket)


def records_store(settings: DeliverSettings) -> ObjectStore:
    """Return the bucket with the keys of tickets."""
    access = replace(environment_access(), read_seconds=5, attempts=2)
    return S3ObjectStore(access.client("s3"), settings.records_bucket)


def identifier_table(settings: DeliverSettings) -> IdentifierTable:
    """Return the table of identifiers; while it stalls, the gateway answers from its memory."""
    access = replace(environment_access(), read_seconds=2, attempts=2)
    return DynamoIdentifierTable(access.client("dynamodb"), settings.identifiers_table)


def programs_cpu(settings: DeliverSettings) -> Callable[[], Mapping[str, float]]:
    """Return what reads the CPU seconds of the task's programs.

    Containers do not see each other's processes, so in ECS its agent is asked; else /proc.
    """
    if uri := os.environ.get(VARIABLE):
        return partial(read_container_cpu, uri)
    return partial(read_programs, Path(settings.work_directory))
