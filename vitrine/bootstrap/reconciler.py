"""What the reconciler works with."""

import os
from functools import cache

from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.message_queue import SqsQueue
from vitrine.bootstrap.aws_access import environment_access
from vitrine.bootstrap.starter import wire_starter_services
from vitrine.ingest.repair.reconciler import ReconcileServices
from vitrine.settings.ingest import IngestSettings


@cache
def reconcile_services() -> ReconcileServices:
    """Return the services that the process's environment names."""
    settings = IngestSettings.from_environment(os.environ)
    return wire_reconcile_services(settings, environment_access())


def wire_reconcile_services(settings: IngestSettings, access: AwsAccess) -> ReconcileServices:
    """Return the services of these settings."""
    return ReconcileServices(
        starter=wire_starter_services(settings, access),
        notifications=SqsQueue(access.client("sqs"), settings.notifications_queue_url),
        execution_timeout_seconds=settings.execution_timeout_seconds,
    )
