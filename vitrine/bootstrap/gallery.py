"""What updating the gallery works with."""

import os
from functools import cache

from vitrine.adapters.aws.catalogue_table import DynamoCatalogueTable
from vitrine.adapters.aws.identifier_table import DynamoIdentifierTable
from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.bootstrap.aws_access import environment_access
from vitrine.bootstrap.local_service import DIRECTORY_VARIABLE, local_service
from vitrine.settings.present import PresentSettings
from vitrine.site.gallery import GalleryServices


@cache
def gallery_services() -> GalleryServices:
    """Return the services that the process's environment names. Raises NotRunning.

    The emulator of the one-machine service tells its Lambdas where that service lives.
    """
    settings = PresentSettings.from_environment(os.environ)
    access, on_this_machine = environment_access(), bool(os.environ.get(DIRECTORY_VARIABLE))
    return GalleryServices(
        site=S3ObjectStore(access.client("s3"), settings.site_bucket),
        identifiers=DynamoIdentifierTable(access.client("dynamodb"), settings.identifiers_table),
        catalogue=DynamoCatalogueTable(access.client("dynamodb"), settings.catalogue_table),
        length=settings.gallery_length,
        records=S3ObjectStore(access.client("s3"), settings.records_bucket),
        # The emulator's distribution has a name that nobody resolves.
        base=local_service().edge_url if on_this_machine else settings.public_base_url,
    )
