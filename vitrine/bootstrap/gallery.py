"""What updating the gallery works with."""

import os
from functools import cache

from vitrine.adapters.aws.identifier_table import DynamoIdentifierTable
from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.bootstrap.aws_access import environment_access
from vitrine.present.gallery import GalleryServices
from vitrine.settings import PresentSettings


@cache
def gallery_services() -> GalleryServices:
    """Return the services that the process's environment names."""
    settings = PresentSettings.from_environment(os.environ)
    access = environment_access()
    return GalleryServices(
        site=S3ObjectStore(access.client("s3"), settings.site_bucket),
        identifiers=DynamoIdentifierTable(access.client("dynamodb"), settings.identifiers_table),
        length=settings.gallery_length,
    )
