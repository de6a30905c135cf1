"""What writing the stream of changes works with."""

import os
from functools import cache

from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.bootstrap.aws_access import environment_access
from vitrine.bootstrap.environments import local_service
from vitrine.bootstrap.local_service import DIRECTORY_VARIABLE
from vitrine.present.discovery.stream import Stream
from vitrine.settings import DiscoverySettings


@cache
def change_stream() -> Stream:
    """Return the stream that the process's environment names. Raises NotRunning.

    The emulator of the one-machine service tells its Lambdas where that service lives.
    """
    settings = DiscoverySettings.from_environment(os.environ)
    # The emulator's distribution has a name that nobody resolves.
    on_this_machine = bool(os.environ.get(DIRECTORY_VARIABLE))
    return Stream(
        site=S3ObjectStore(environment_access().client("s3"), settings.site_bucket),
        base=local_service().edge_url if on_this_machine else settings.public_base_url,
    )
