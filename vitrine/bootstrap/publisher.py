"""What publishing objects works with."""

import os
from functools import cache

from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.catalogue_table import DynamoCatalogueTable
from vitrine.adapters.aws.event_bus import EventBridgeBus
from vitrine.adapters.aws.identifier_table import DynamoIdentifierTable
from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.bootstrap.aws_access import environment_access
from vitrine.bootstrap.local_service import DIRECTORY_VARIABLE, local_service
from vitrine.catalogue.compose import Presentation
from vitrine.catalogue.publisher import Publisher
from vitrine.catalogue.records import objects_journal
from vitrine.catalogue.statements import Catalogue
from vitrine.iiif.size import Limits
from vitrine.settings.present import PublishSettings


@cache
def publisher() -> Publisher:
    """Return the publisher that the process's environment names.

    The emulator of the one-machine service tells its Lambdas where that service lives.
    """
    settings = PublishSettings.from_environment(os.environ)
    return wire_publisher(
        settings, environment_access(), on_this_machine=bool(os.environ.get(DIRECTORY_VARIABLE))
    )


def wire_publisher(
    settings: PublishSettings, access: AwsAccess, *, on_this_machine: bool
) -> Publisher:
    """Return the publisher of these settings. Raises NotRunning."""
    s3, dynamodb = access.client("s3"), access.client("dynamodb")
    records = S3ObjectStore(s3, settings.records_bucket)
    return Publisher(
        site=S3ObjectStore(s3, settings.site_bucket),
        records=records,
        catalogue=Catalogue(
            DynamoCatalogueTable(dynamodb, settings.catalogue_table), objects_journal(records)
        ),
        identifiers=DynamoIdentifierTable(dynamodb, settings.identifiers_table),
        events=EventBridgeBus(access.client("events"), settings.event_bus),
        presentation=Presentation(
            # The emulator's distribution has a name that nobody resolves.
            base=local_service().edge_url if on_this_machine else settings.public_base_url,
            limits=Limits(area=settings.maximum_output_pixels),
            downloads=settings.downloads_at_once > 0,
            rights=settings.rights_uri,
        ),
        ocr_languages=tuple(filter(None, settings.ocr_languages.split("+"))),
    )
