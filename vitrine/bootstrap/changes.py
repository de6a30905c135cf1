"""What hears of images that changed: the gallery, and the edge."""

import os
from dataclasses import replace
from functools import cache

from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.edge_cache import CloudFrontEdgeCache
from vitrine.adapters.nginx.edge_cache import NginxEdgeCache
from vitrine.bootstrap.local_service import DIRECTORY_VARIABLE, local_directory
from vitrine.bootstrap.places import (
    LOCAL,
    access_to,
    bucket,
    environment_access,
    identifiers,
    output,
)
from vitrine.edge.invalidation import InvalidateServices
from vitrine.ports import EdgeCache
from vitrine.present.gallery import GalleryServices
from vitrine.settings import InvalidateSettings, PresentSettings


@cache
def gallery_services(settings: PresentSettings | None = None) -> GalleryServices:
    """What updating the gallery works with; settings from the process's environment."""
    settings = settings or PresentSettings.from_environment(os.environ)
    access = environment_access()
    return GalleryServices(
        site=bucket(access, settings.site_bucket),
        identifiers=identifiers(access, settings.identifiers_table),
        length=settings.gallery_length,
    )


@cache
def invalidate_services() -> InvalidateServices:
    """What invalidating works with; settings from the process's environment.

    On one machine the emulator tells its Lambdas where the edge lives.
    """
    if os.environ.get(DIRECTORY_VARIABLE):
        return InvalidateServices(edge=_local_edge())
    settings = InvalidateSettings.from_environment(os.environ)
    return InvalidateServices(edge=_edge(environment_access(), settings.distribution_id))


def deployed_invalidate_services(environment: str = LOCAL) -> InvalidateServices:
    """The same for the edge of an environment. Raises NotRunning, TransientError."""
    access, stage = access_to(environment)
    if environment == LOCAL:
        return InvalidateServices(edge=_local_edge())
    return InvalidateServices(edge=_edge(access, output(access, stage, "edge", "DistributionId")))


def _local_edge() -> EdgeCache:
    return NginxEdgeCache(local_directory() / "edge")


def _edge(access: AwsAccess, distribution_id: str) -> EdgeCache:
    # Who invalidates waits and tries again itself, for longer than a client would.
    return CloudFrontEdgeCache(replace(access, attempts=2).client("cloudfront"), distribution_id)
