"""What invalidating the edge works with, and the only place that chooses the edge's cache."""

import os
from collections.abc import Callable
from dataclasses import replace
from functools import cache

from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.edge_cache import CloudFrontEdgeCache
from vitrine.adapters.nginx.edge_cache import NginxEdgeCache
from vitrine.bootstrap.aws_access import environment_access
from vitrine.bootstrap.local_service import DIRECTORY_VARIABLE, local_directory
from vitrine.edge.invalidation import InvalidateServices
from vitrine.ports import EdgeCache
from vitrine.settings.edge import InvalidateSettings


@cache
def invalidate_services() -> InvalidateServices:
    """Return the services that the process's environment names.

    The emulator of the one-machine service tells its Lambdas where that service lives.
    """

    def distribution_id() -> str:
        return InvalidateSettings.from_environment(os.environ).distribution_id

    on_this_machine = bool(os.environ.get(DIRECTORY_VARIABLE))
    edge = edge_cache(environment_access(), distribution_id, on_this_machine=on_this_machine)
    return InvalidateServices(edge=edge)


def edge_cache(
    access: AwsAccess, distribution_id: Callable[[], str], *, on_this_machine: bool
) -> EdgeCache:
    """Return the cache of nginx on this machine, of a CloudFront distribution anywhere else."""
    if on_this_machine:
        return NginxEdgeCache(local_directory() / "edge")
    # Invalidating waits and retries by itself, for longer than a client would.
    client = replace(access, attempts=2).client("cloudfront")
    return CloudFrontEdgeCache(client, distribution_id())
