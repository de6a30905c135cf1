"""What the gateway reads: access masters and identifiers."""

from dataclasses import replace

from vitrine.bootstrap.places import bucket, environment_access, identifiers
from vitrine.ports import IdentifierTable, ObjectStore
from vitrine.settings import DeliverSettings


def access_master_store(settings: DeliverSettings) -> ObjectStore:
    """The bucket of access masters.

    The gateway's block cache tries again itself, so that a stalled read never holds up a viewer.
    """
    access = replace(environment_access(), read_seconds=5, attempts=1)
    return bucket(access, settings.access_masters_bucket)


def identifier_table(settings: DeliverSettings) -> IdentifierTable:
    """The identifiers table; while it stalls, the gateway answers from what it remembers."""
    access = replace(environment_access(), read_seconds=2, attempts=2)
    return identifiers(access, settings.identifiers_table)
