"""What publishes objects: the Lambda, and the command line with the same settings."""

import os
from functools import cache

from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.event_bus import EventBridgeBus
from vitrine.adapters.aws.identifier_table import DynamoIdentifierTable
from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.bootstrap.aws_access import environment_access
from vitrine.bootstrap.environments import LOCAL, access_to, local_service, output
from vitrine.bootstrap.local_service import DIRECTORY_VARIABLE
from vitrine.iiif.size import Limits
from vitrine.present.objects.compose import Presentation
from vitrine.present.objects.publisher import Publisher
from vitrine.present.objects.records import objects_journal
from vitrine.settings import PublishSettings


@cache
def publisher() -> Publisher:
    """Return the publisher that the process's environment names.

    The emulator of the one-machine service tells its Lambdas where that service lives.
    """
    settings = PublishSettings.from_environment(os.environ)
    return _wire(
        settings, environment_access(), on_this_machine=bool(os.environ.get(DIRECTORY_VARIABLE))
    )


def deployed_publisher(environment: str = LOCAL) -> Publisher:
    """Return the publisher of an environment, with the settings of its own Lambda.

    Raises NotRunning, TransientError.
    """
    access, stage = access_to(environment)
    name = output(access, stage, "present", "PublishObjectsFunctionName")
    function = access.client("lambda").get_function_configuration(FunctionName=name)
    settings = PublishSettings.from_environment(function["Environment"]["Variables"])
    return _wire(settings, access, on_this_machine=environment == LOCAL)


def _wire(settings: PublishSettings, access: AwsAccess, *, on_this_machine: bool) -> Publisher:
    s3 = access.client("s3")
    records = S3ObjectStore(s3, settings.records_bucket)
    return Publisher(
        site=S3ObjectStore(s3, settings.site_bucket),
        records=records,
        journal=objects_journal(records),
        identifiers=DynamoIdentifierTable(access.client("dynamodb"), settings.identifiers_table),
        events=EventBridgeBus(access.client("events"), settings.event_bus),
        presentation=Presentation(
            # The emulator's distribution has a name that nobody resolves.
            base=local_service().edge_url if on_this_machine else settings.public_base_url,
            limits=Limits(area=settings.maximum_output_pixels),
            rights=settings.rights_uri,
        ),
    )
