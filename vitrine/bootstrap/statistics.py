"""What counting visits works with."""

import os
from functools import cache

from vitrine.adapters.aws.catalogue_table import DynamoCatalogueTable
from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.bootstrap.aws_access import environment_access
from vitrine.settings.present import StatisticsSettings
from vitrine.statistics.update import StatisticsServices


@cache
def statistics_services() -> StatisticsServices:
    """Return the services that the process's environment names."""
    settings = StatisticsSettings.from_environment(os.environ)
    access = environment_access()
    s3 = access.client("s3")
    return StatisticsServices(
        logs=S3ObjectStore(s3, settings.logs_bucket),
        log_prefix=settings.logs_prefix,
        records=S3ObjectStore(s3, settings.records_bucket),
        catalogue=DynamoCatalogueTable(access.client("dynamodb"), settings.catalogue_table),
    )
