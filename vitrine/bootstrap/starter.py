"""What the starter of executions works with."""

import os
from functools import cache

from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.message_queue import SqsQueue
from vitrine.bootstrap.aws_access import environment_access
from vitrine.bootstrap.ingest import wire_ingest_services
from vitrine.ingest.start.throttle import Throttle
from vitrine.ingest.start.upload_hints import StarterServices
from vitrine.settings.ingest import IngestSettings


@cache
def starter_services() -> StarterServices:
    """Return the services that the process's environment names."""
    settings = IngestSettings.from_environment(os.environ)
    return wire_starter_services(settings, environment_access())


def wire_starter_services(settings: IngestSettings, access: AwsAccess) -> StarterServices:
    """Return the services of these settings. Raises KeyError for an unknown recipe."""
    ingest = wire_ingest_services(settings, access)
    throttle = Throttle(
        ingest.pipeline, at_once=settings.executions_at_once, starters=settings.parallel_starts
    )
    uploads = SqsQueue(access.client("sqs"), settings.uploads_queue_url)
    return StarterServices(ingest=ingest, uploads=uploads, throttle=throttle)
