"""What writing files of the site works with that name its addresses."""

import os
from functools import cache

from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.bootstrap.aws_access import environment_access
from vitrine.bootstrap.local_service import DIRECTORY_VARIABLE, local_service
from vitrine.settings.present import SiteSettings


@cache
def site_and_base() -> tuple[S3ObjectStore, str]:
    """Return the bucket of the site, and scheme and host of its addresses. Raises NotRunning.

    The process's environment names them. The emulator of the one-machine service tells its Lambdas
    where that service lives.
    """
    settings = SiteSettings.from_environment(os.environ)
    # The emulator's distribution has a name that nobody resolves.
    on_this_machine = bool(os.environ.get(DIRECTORY_VARIABLE))
    site = S3ObjectStore(environment_access().client("s3"), settings.site_bucket)
    return site, local_service().edge_url if on_this_machine else settings.public_base_url
